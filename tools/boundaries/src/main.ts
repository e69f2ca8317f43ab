/** Fails when an import points the wrong way: reads every source file of the workspaces and prints each violation. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { violations } from "./boundaries.ts"

const root = join(import.meta.dirname, "../../..")
const files = globSync("{packages,apps,tools}/*/src/**/*.ts", { cwd: root })
const found = files.flatMap((file) => violations(file, readFileSync(join(root, file), "utf8")))

for (const { file, specifier, reason } of found) process.stderr.write(`${file}: import of "${specifier}": ${reason}\n`)
process.exitCode = found.length === 0 ? 0 : 1
