/** Fails if a package is not ready for publishing, and reports why. `npm run release -- --dry-run` reports the problems too. */
import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { examineAll } from "./examine.ts"
import { packAll } from "./pack.ts"

using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-packed-"))
const problems = await examineAll(packAll(folder.path))
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
