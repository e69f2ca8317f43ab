/** Opens a file, begins a write transaction, prints a line, and commits after the given number of milliseconds. */
import { writeSync } from "node:fs"
import { DatabaseSync } from "../../dist/index.js"

const [path = "", millis = "0"] = process.argv.slice(2)
const database = new DatabaseSync(path)
database.exec("BEGIN IMMEDIATE; INSERT INTO rows (writer) VALUES ('holder')")
writeSync(1, "held\n")
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(millis))
database.exec("COMMIT")
database.close()
writeSync(1, "released\n")
