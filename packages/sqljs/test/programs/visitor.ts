/** Opens, reads and closes a file several times while others are open, prints a line, and runs until it is killed. */
import { writeSync } from "node:fs"
import { DatabaseSync } from "../../dist/index.js"

const [path = "", times = "", ...others] = process.argv.slice(2)
const open = others.map((other) => new DatabaseSync(other))
for (const database of open) database.exec("SELECT * FROM rows")
for (let count = 0; count < Number(times); count++) {
  const database = new DatabaseSync(path, { timeout: 20_000 })
  database.prepare("SELECT count(*) FROM rows").get()
  database.close()
}
writeSync(1, "done\n")
setInterval(() => open, 1000)
