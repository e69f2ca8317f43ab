import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

/** Keeps a service in this folder from writing, until the returned connection is closed. Waits for a write of the service. */
export const lockStore = (folder: string): DatabaseSync => {
  const connection = new DatabaseSync(join(folder, "petstore.db"), { timeout: 60_000 })
  connection.exec("BEGIN IMMEDIATE")
  return connection
}
