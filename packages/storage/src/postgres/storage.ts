import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { type Repositories, repositoriesOf } from "../repositories.js"
import { sqlRepositories } from "../sql/repositories.js"
import type { StorageNotOpened } from "../storage-not-opened.js"
import type { ServiceStorageOptions, StorageOptions } from "../storage-options.js"
import { watchWrites } from "../write-probe.js"
import { makeAppTables, postgresAppDatabase } from "./app-table.js"
import { postgresCategoryRepository } from "./category-repository.js"
import { postgresChangeRepository } from "./change-repository.js"
import { originsOf } from "./change-writes.js"
import type { Run } from "./engine/connection.js"
import { type Database, notOpened, openDatabase } from "./engine/database.js"
import { spreadVolatilityOf, volatilityOf } from "./engine/durability.js"
import { toFailure } from "./engine/errors.js"
import { nodeStates, someAnswers } from "./engine/nodes.js"
import { postgresInventoryRepository } from "./inventory-repository.js"
import { migrate } from "./migrations.js"
import { postgresOrderRepository } from "./order-repository.js"
import { groupInsert } from "./pet-inserts.js"
import { postgresPetRepository } from "./pet-repository.js"
import { compareWords } from "./pet-words.js"
import { postgresTables } from "./tables.js"

/** @param url `postgres://user:password@host:port/database`, with the parameters that `address.ts` lists */
export const postgresStorage = (url: string, options: ServiceStorageOptions): Layer.Layer<Repositories, StorageNotOpened> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const prepareSchema = (run: Run, beside: Run) =>
        Effect.gen(function* () {
          // First, before anything is changed.
          yield* reportVolatility(volatilityOf(run), options.onVolatile)
          const isMigrating = options.migrate && options.readOnly !== true
          yield* migrate(run, beside, {
            ...options,
            migrate: isMigrating,
            mustExist: options.mustExist === true || options.readOnly === true,
          })
          if (isMigrating) yield* makeAppTables(run, options.appTables ?? [])
        })
      const database = yield* openDatabase(url, options.postgres ?? {}, prepareSchema, options.onPool)
      if (database.layout === "spread") {
        yield* reportVolatility(spreadVolatilityOf(database.coordinator.read), options.onVolatile).pipe(
          Effect.catchTag("StorageUnavailable", ({ cause }) => notOpened(url, cause)),
        )
      }
      if (database.layout === "spread") options.onNodes?.(() => Effect.runPromise(nodeStates(database)))
      if (options.hasReaders === true && options.readOnly !== true) {
        yield* Effect.forkScoped(compareWords(database))
      }
      const isWriting = options.hasReaders === true ? yield* watchWrites(...ownRow(database)) : Effect.void
      // Does not provide `PetFreshness`, because other processes insert pets too, and do not commit in identifier order.
      const originOf = originsOf(database)
      return repositoriesOf({
        pets: postgresPetRepository(database, originOf, yield* groupInsert(database, originOf, options.onGroupCommit)),
        orders: postgresOrderRepository(database, originOf),
        inventory: postgresInventoryRepository(database),
        // On Citus, writes to the reference table of categories wait for every node, so they do not use API keys' connections.
        categories: postgresCategoryRepository(postgresTables({ ...database, coordinator: database }), database, originOf),
        changes: postgresChangeRepository(database, originOf),
        ...sqlRepositories(postgresTables(database)),
        appDatabase: postgresAppDatabase(database),
        readiness: { check: Effect.zipRight(someAnswers(database), isWriting) },
      })
    }),
  )

/** Whether another session has locked this table, as `VACUUM FULL` does. A write that waits for such a lock has not failed. */
const isLocked = `SELECT 1 FROM pg_locks WHERE relation = 'petstore_processes'::regclass AND granted
  AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') LIMIT 1`

/** Writes this process's row on the coordinator, or removes it. Removes rows that are more than a day old by the server's clock. */
const ownRow = ({ coordinator: { read, write, refusedByDisk } }: Database): Parameters<typeof watchWrites> => {
  const id = randomUUID()
  const writeRow = Effect.zipRight(
    write("DELETE FROM petstore_processes WHERE wrote_at < now() - interval '1 day'"),
    write(
      "INSERT INTO petstore_processes (id, wrote_at) VALUES ($1, now()) ON CONFLICT (id) DO UPDATE SET wrote_at = EXCLUDED.wrote_at",
      [id],
    ),
  )
  const proof = Effect.gen(function* () {
    const written = yield* Effect.either(writeRow)
    if (Either.isLeft(written)) {
      const locks = yield* Effect.orElseSucceed(read(isLocked), () => [])
      if (locks.length === 0) return yield* written.left
    }
    // This row can fit on a disk on which a new pet does not. In a cluster, pets are inserted on other connections.
    const refused = refusedByDisk()
    if (refused !== undefined) yield* toFailure(refused)
  })
  return [proof, write("DELETE FROM petstore_processes WHERE id = $1", [id])]
}

const reportVolatility = <E>(volatility: Effect.Effect<string | undefined, E>, onVolatile: StorageOptions["onVolatile"]) =>
  onVolatile === undefined
    ? Effect.void
    : Effect.flatMap(volatility, (reason) => (reason === undefined ? Effect.void : onVolatile(reason)))
