/** Every write of the SQLite store by its name. */
import type { DatabaseSync } from "node:sqlite"
import { orderWrites } from "./order-repository.js"
import { petWrites } from "./pet-repository.js"
import { keyWrites } from "./search-keys.js"
import { tableWrites } from "./tables.js"
import { writabilityWrites } from "./writability.js"

export const sqliteWrites = (connection: DatabaseSync) => ({
  ...petWrites(connection),
  ...keyWrites(connection),
  ...orderWrites(connection),
  ...tableWrites(connection),
  ...writabilityWrites(connection),
})
