/** Opens a file, reads it once, prints a line, and keeps the connection open without a transaction. */
import { writeSync } from "node:fs"
import { DatabaseSync } from "../../dist/index.js"

const [path = ""] = process.argv.slice(2)
const database = new DatabaseSync(path)
database.exec("SELECT * FROM rows")
writeSync(1, "idle\n")
setInterval(() => database.isOpen, 1000)
