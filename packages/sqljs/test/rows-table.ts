/** The table that the programs in `programs` read and write. */
import { DatabaseSync } from "../src/index.js"

export const table = "CREATE TABLE rows (id INTEGER PRIMARY KEY, writer TEXT, batch INTEGER, filling BLOB)"

/** Creates a database with the empty table. */
export const create = (path: string): void => {
  const database = new DatabaseSync(path)
  database.exec(table)
  database.close()
}
