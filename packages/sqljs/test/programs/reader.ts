/** Prints the number of rows in a file, or the error. Arguments: the file, and "true" to open it read-only. */
import { writeSync } from "node:fs"
import { DatabaseSync } from "../../dist/index.js"

const [path = "", readOnly = ""] = process.argv.slice(2)
try {
  const database = new DatabaseSync(path, { readOnly: readOnly === "true" })
  writeSync(1, `${database.prepare("SELECT count(*) AS count FROM rows").get()?.["count"]} rows\n`)
  database.close()
} catch (thrown) {
  if (!(thrown instanceof Error && "errcode" in thrown)) throw thrown
  writeSync(1, `${thrown.errcode} ${thrown.message}\n`)
}
