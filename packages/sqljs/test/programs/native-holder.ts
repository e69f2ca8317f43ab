/** Opens a file with native SQLite, runs the given SQL, reports it, and keeps its locks until it is killed. */
import { writeSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"

const [path = "", sql = ""] = process.argv.slice(2)
const database = new DatabaseSync(path)
database.exec(sql)
writeSync(1, "ready\n")
setInterval(() => database.isOpen, 1000)
