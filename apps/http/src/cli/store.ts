/** Opens a command's store, names it on standard error, and creates it only for commands that may do so. */
import type { Cryptography } from "@petstore/core"
import { claimStoreDeployment } from "@petstore/core/internal"
import { type DatabaseUrl, isEphemeral, nameOfStore, type Repositories } from "@petstore/storage"
import { Effect, Option } from "effect"
import type { Config } from "../config.js"
import { type Failure, provideServices, type Steps, WrongUsage, withConfig } from "./program.js"

/** What a command does about a missing store: `makes` creates and reports it, `opens` refuses it, and `none` uses no store. */
export type StoreUse = "makes" | "opens" | "none"

export const storeLine = (database: DatabaseUrl, isNew: boolean): string =>
  `${isNew ? "created a new store" : "store"}: ${nameOfStore(database)}`

const printStore = (database: DatabaseUrl, isNew: boolean) => process.stderr.write(`petstore: ${storeLine(database, isNew)}\n`)

export const sayStore = (database: DatabaseUrl, isNew = false) => Effect.sync(() => printStore(database, isNew))

/**
 * Provides a command with the settings and the services that use cases need. Refuses an in-memory store, because it is lost with
 * the process. Without an explicit deployment, a command uses its store's deployment. A store of another deployment is refused.
 *
 * @param overrides  settings that the command sets itself
 */
export type OpenStore = (
  use: (config: Config) => Steps<Repositories | Cryptography>,
  overrides?: Partial<Config>,
) => Effect.Effect<void, Failure>

export const openStore =
  (storeUse: StoreUse): OpenStore =>
  (use, overrides = {}) =>
    withConfig(function* (given) {
      const config = { ...given, ...overrides }
      const { database } = config
      if (isEphemeral(database)) {
        return yield* new WrongUsage({
          reason: "DATABASE_URL names an in-memory store, which is separate for every process. Name a persistent one.",
        })
      }
      const program = Effect.gen(function* () {
        const kept = yield* claimStoreDeployment(config.namedDeployment)
        const deployment = Option.getOrElse(kept, () => config.deployment)
        yield* Effect.gen(() => use({ ...config, deployment }))
      })
      yield* provideServices(config, program, {
        mustExist: storeUse === "opens",
        onOpened: (isNew) => printStore(database, isNew),
        leavesUpkeep: overrides.migrate !== true,
      })
    })
