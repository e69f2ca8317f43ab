/** Every write of the SQLite store by its name. */
import type { DatabaseSync } from "node:sqlite"
import { credentialWrites } from "./credential-repository.js"
import { deploymentWrites } from "./deployment-repository.js"
import { deprecatedCallWrites } from "./deprecated-call-repository.js"
import { guestWrites } from "./guest.js"
import { orderWrites } from "./order-repository.js"
import { petWrites } from "./pet-repository.js"

export const sqliteWrites = (connection: DatabaseSync) => ({
  ...petWrites(connection),
  ...orderWrites(connection),
  ...credentialWrites(connection),
  ...guestWrites(connection),
  ...deploymentWrites(connection),
  ...deprecatedCallWrites(connection),
})
