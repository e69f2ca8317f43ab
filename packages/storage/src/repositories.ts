/** What a store gives, whatever it is kept on. */
import type {
  CredentialRepository,
  DeploymentRepository,
  DeprecatedCallRepository,
  InventoryRepository,
  OrderRepository,
  PetRepository,
  Readiness,
} from "@petstore/core"
import type { GuestDatabase } from "./guest.js"

/** Everything a store keeps, and the way to tables of an app beside it. */
export type Repositories =
  | PetRepository
  | OrderRepository
  | CredentialRepository
  | DeploymentRepository
  | DeprecatedCallRepository
  | InventoryRepository
  | Readiness
  | GuestDatabase
