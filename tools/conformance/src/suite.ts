import { globSync } from "node:fs"
import { join } from "node:path"
import type { Sentence } from "./sentence.ts"

const inOrder = (one: Sentence, two: Sentence): number => one.number.localeCompare(two.number, "en", { numeric: true })

/** The modules in `sentences/`, which export nothing but lists of sentences. */
const modules: ReadonlyArray<Readonly<Record<string, ReadonlyArray<Sentence>>>> = await Promise.all(
  globSync("*.ts", { cwd: join(import.meta.dirname, "sentences") }).map((file) => import(`./sentences/${file}`)),
)

/** Every sentence in `sentences/`, in the order of the specification. */
export const suite: ReadonlyArray<Sentence> = modules.flatMap((lists) => Object.values(lists).flat()).toSorted(inOrder)
