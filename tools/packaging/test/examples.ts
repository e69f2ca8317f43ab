/** The examples in `docs/examples/`: which of them are programs, and the output that each program promises. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../src/published.ts"

export const examplesFolder = join(root, "docs/examples")

/** The names of the programs, without `.ts`. */
export const programs = ["with-effect", "without-effect", "with-hono", "own-repository/main"] as const

/** The text under `Prints:` in a program's opening comment. */
export const promisedOutput = (program: string): string => {
  const [, lines = ""] = /Prints:\n((?: \* {5}.*\n)+)/.exec(readFileSync(join(examplesFolder, `${program}.ts`), "utf8")) ?? []
  if (lines === "") throw new Error(`docs/examples/${program}.ts does not list the output under "Prints:" in the opening comment`)
  return lines.replaceAll(/^ \* {5}/gm, "")
}
