/** Fails when an import points the wrong way or runs in a circle: reads every source file of the workspaces and prints each violation. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { circles, rooms, violations } from "./boundaries.ts"

const root = join(import.meta.dirname, "../../..")
const files = globSync("{packages,apps,tools}/*/src/**/*.ts", { cwd: root })
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]))
const found = [...sources].flatMap(([file, source]) => violations(file, source))
const circular = circles(
  new Map([...sources].filter(([file]) => Object.keys(rooms).some((workspace) => file.startsWith(`${workspace}/`)))),
)

for (const { file, specifier, reason } of found) process.stderr.write(`${file}: import of "${specifier}": ${reason}\n`)
for (const circle of circular) process.stderr.write(`imports run in a circle: ${circle.join(" → ")}\n`)
process.exitCode = found.length + circular.length === 0 ? 0 : 1
