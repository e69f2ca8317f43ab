/** Starts to read a file, finishes while the folder is read-only, prints a line, and keeps the file open. */
import { chmodSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "../../dist/index.js"

const [path = ""] = process.argv.slice(2)
const database = new DatabaseSync(path)
const rows = database.prepare("SELECT 1 FROM sqlite_schema").iterate()
rows.next()
chmodSync(dirname(path), 0o555)
rows.return?.()
chmodSync(dirname(path), 0o755)
writeSync(1, "idle\n")
setInterval(() => database.isOpen, 1000)
