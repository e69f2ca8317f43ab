import { globSync } from "node:fs"
import { join } from "node:path"
import type { RecordedExchange } from "@petstore/harness/http"
import { attempt, type Target } from "./outcome.ts"
import type { Sentence } from "./sentence.ts"

/** The modules in `sentences/`, which export nothing but lists of sentences. */
const modules: ReadonlyArray<Readonly<Record<string, ReadonlyArray<Sentence>>>> = await Promise.all(
  globSync("*.ts", { cwd: join(import.meta.dirname, "sentences") }).map((file) => import(`./sentences/${file}`)),
)

/** Every sentence in `sentences/`, in the order of the specification. */
export const suite: ReadonlyArray<Sentence> = modules
  .flatMap((lists) => Object.values(lists).flat())
  .toSorted((one, other) => one.number.localeCompare(other.number, "en", { numeric: true }))

/** Tests every sentence, ignores the outcomes, and returns every exchange that has a response, for tests with other checks. */
export const observeSuite = async (target: Target): Promise<ReadonlyArray<Required<RecordedExchange>>> => {
  const exchanges: Array<Required<RecordedExchange>> = []
  for (const sentence of suite) await attempt(sentence, { ...target, observe: (exchange) => exchanges.push(exchange) })
  return exchanges
}
