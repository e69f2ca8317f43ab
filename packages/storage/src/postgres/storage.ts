/** Every repository on one PostgreSQL database. */
import {
  CredentialRepository,
  DeploymentRepository,
  DeprecatedCallRepository,
  InventoryRepository,
  OrderRepository,
  PetRepository,
  Readiness,
} from "@petstore/core"
import { Context, Effect, Layer, Option } from "effect"
import { GuestDatabase } from "../guest.js"
import type { Repositories } from "../repositories.js"
import type { StorageNotOpened } from "../storage-not-opened.js"
import type { StorageOptions } from "../storage-options.js"
import { postgresCredentialRepository } from "./credential-repository.js"
import { postgresDeploymentRepository } from "./deployment-repository.js"
import { postgresDeprecatedCallRepository } from "./deprecated-call-repository.js"
import type { Run } from "./engine/connection.js"
import { openDatabase } from "./engine/database.js"
import { volatilityOf } from "./engine/durability.js"
import type { StatementFailed } from "./engine/errors.js"
import { nodeStates, someAnswers } from "./engine/nodes.js"
import { postgresDefaults } from "./engine/options.js"
import { makeGuestTables, postgresGuestDatabase } from "./guest.js"
import { postgresInventoryRepository } from "./inventory-repository.js"
import { migrate } from "./migrations.js"
import { postgresOrderRepository } from "./order-repository.js"
import { postgresPetRepository } from "./pet-repository.js"

/**
 * Opens a PostgreSQL store.
 *
 * @param url  `postgres://user:password@host:port/database`, with the parameters of the driver `pg` (`sslmode` and others)
 */
export const postgresStorage = (url: string, options: StorageOptions): Layer.Layer<Repositories, StorageNotOpened> =>
  Layer.scopedContext(
    Effect.map(
      openDatabase(
        url,
        options.postgres ?? postgresDefaults,
        (run) =>
          Effect.gen(function* () {
            yield* checkDurability(run, options.onVolatile)
            const isMigrating = options.migrate && options.readOnly !== true
            yield* migrate(run, {
              ...options,
              migrate: isMigrating,
              mustExist: options.mustExist === true || options.readOnly === true,
            })
            if (isMigrating) yield* makeGuestTables(run, options.guests ?? [])
          }),
        options.onPool,
      ),
      (database) => {
        options.onNodes?.(() => Effect.runPromise(nodeStates(database)))
        return Context.empty().pipe(
          Context.add(PetRepository, postgresPetRepository(database, options.onGroupCommit)),
          Context.add(OrderRepository, postgresOrderRepository(database)),
          Context.add(InventoryRepository, postgresInventoryRepository(database)),
          Context.add(CredentialRepository, postgresCredentialRepository(database)),
          Context.add(DeploymentRepository, postgresDeploymentRepository(database.coordinator)),
          Context.add(DeprecatedCallRepository, postgresDeprecatedCallRepository(database.coordinator)),
          Context.add(GuestDatabase, postgresGuestDatabase(database)),
          Context.add(Readiness, { check: someAnswers(database) }),
        )
      },
    ),
  )

/** Tells whoever wants to know, before anything is changed, why the server may lose what it acknowledges. */
const checkDurability = (
  run: Run,
  onVolatile: StorageOptions["onVolatile"],
): Effect.Effect<void, StatementFailed | StorageNotOpened> =>
  onVolatile === undefined
    ? Effect.void
    : Effect.flatMap(volatilityOf(run), Option.match({ onNone: () => Effect.void, onSome: onVolatile }))
