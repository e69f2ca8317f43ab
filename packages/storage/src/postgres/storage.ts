/** Every repository on one PostgreSQL database. */
import { Effect, Layer, Option } from "effect"
import { type Repositories, repositoriesOf } from "../repositories.js"
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
        return repositoriesOf({
          pets: postgresPetRepository(database, options.onGroupCommit),
          orders: postgresOrderRepository(database),
          inventory: postgresInventoryRepository(database),
          credentials: postgresCredentialRepository(database),
          deployment: postgresDeploymentRepository(database.coordinator),
          deprecatedCalls: postgresDeprecatedCallRepository(database.coordinator),
          guests: postgresGuestDatabase(database),
          readiness: { check: someAnswers(database) },
        })
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
