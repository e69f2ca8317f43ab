import { globSync } from "node:fs"
import { join } from "node:path"
import type { Sentence } from "./sentence.ts"

/** The modules in `sentences/`, which export nothing but lists of sentences. */
const modules: ReadonlyArray<Readonly<Record<string, ReadonlyArray<Sentence>>>> = await Promise.all(
  globSync("*.ts", { cwd: join(import.meta.dirname, "sentences") }).map((file) => import(`./sentences/${file}`)),
)

/** Every sentence in `sentences/`, in the order of the specification. */
export const suite: ReadonlyArray<Sentence> = modules
  .flatMap((lists) => Object.values(lists).flat())
  .toSorted((one, other) => one.number.localeCompare(other.number, "en", { numeric: true }))
