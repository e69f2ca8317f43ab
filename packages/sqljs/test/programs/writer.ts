/**
 * Writes batches of rows until it is killed or its time is up, and prints every batch's number after its COMMIT.
 *
 * Arguments: file, journal mode, the writer's name, number of milliseconds to run (0: forever).
 */
import { writeSync } from "node:fs"
import { DatabaseSync } from "../../dist/index.js"

const [path = "", journal = "", writer = "", millis = "0"] = process.argv.slice(2)
const database = new DatabaseSync(path, { timeout: 20_000 })
// A cache of 10 pages spills, so a batch of 150 rows is in the file long before its commit.
database.exec(`PRAGMA journal_mode = ${journal}; PRAGMA synchronous = FULL; PRAGMA cache_size = 10`)
database.exec("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, writer TEXT, batch INTEGER, filling BLOB)")
const next = database.prepare("SELECT coalesce(max(batch), 0) + 1 AS batch FROM rows WHERE writer = ?", { readBigInts: true })
const insert = database.prepare("INSERT INTO rows (writer, batch, filling) VALUES (?, ?, randomblob(900))")
const end = millis === "0" ? Number.POSITIVE_INFINITY : Date.now() + Number(millis)
while (Date.now() < end) {
  database.exec("BEGIN IMMEDIATE")
  const batch = next.get(writer)?.["batch"] ?? null
  for (let row = 0; row < 150; row++) insert.run(writer, batch)
  database.exec("COMMIT")
  writeSync(1, `${batch}\n`)
}
database.close()
