/** Copies sql.js's binary and its licence into `dist`, as a build step, so that the package does not need all 30 MB of sql.js. */
import { createHash } from "node:crypto"
import { copyFileSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { binaryName, pinnedHash } from "./dist/binary.js"

const binary = createRequire(import.meta.url).resolve(`sql.js/dist/${binaryName}`)
const hash = createHash("sha256").update(readFileSync(binary)).digest("hex")
if (hash !== pinnedHash)
  throw new Error(`${binary} has SHA-256 ${hash}, but sqljs needs ${pinnedHash}. Run npm ci, or check and pin the new binary.`)
copyFileSync(binary, join(import.meta.dirname, "dist", binaryName))
copyFileSync(join(dirname(binary), "../LICENSE"), join(import.meta.dirname, "dist/sql.js.LICENSE"))
