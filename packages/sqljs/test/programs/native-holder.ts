/** Opens a file with native SQLite, runs the given SQL, prints a line, and keeps the locks until the program is killed. */
import { writeSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"

const [path = "", sql = ""] = process.argv.slice(2)
const database = new DatabaseSync(path)
database.exec(sql)
writeSync(1, "ready\n")
setInterval(() => database.isOpen, 1000)
