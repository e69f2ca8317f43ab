import type { DatabaseSync } from "node:sqlite"
import { orderWrites } from "./order-repository.js"
import { petWrites } from "./pet-repository.js"
import { indexWrites } from "./search-index.js"
import { tableWrites } from "./tables.js"
import { writabilityWrites } from "./writability.js"

export const sqliteWrites = (connection: DatabaseSync) => ({
  ...petWrites(connection),
  ...indexWrites(connection),
  ...orderWrites(connection),
  ...tableWrites(connection),
  ...writabilityWrites(connection),
})
