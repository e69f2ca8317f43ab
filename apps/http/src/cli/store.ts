/** Opens the store of a command, names it on standard error, and creates it only for commands that may. */
import type { Cryptography } from "@petstore/core"
import { claimStoreDeployment } from "@petstore/core/internal"
import { type DatabaseUrl, isEphemeral, nameOfStore, type Repositories } from "@petstore/storage"
import { Effect, Option } from "effect"
import type { Config } from "../config.js"
import { type Failure, provideServices, type Steps, WrongUsage, withConfig } from "./program.js"

/**
 * What a command does with its store: `makes` creates a missing store and reports it; `opens` refuses a missing one.
 */
export type StoreUse = "makes" | "opens"

/** The store of a command, and whether the command created it. */
export const storeLine = (database: DatabaseUrl, isNew: boolean): string =>
  `${isNew ? "created a new store" : "store"}: ${nameOfStore(database)}`

/** Prints to standard error which store a command uses. */
export const sayStore = (database: DatabaseUrl, isNew = false): Effect.Effect<void> =>
  Effect.sync(() => void process.stderr.write(`petstore: ${storeLine(database, isNew)}\n`))

/**
 * Gives a command the settings and the services of use cases. A store in memory is refused, because it ends with the process.
 * Without an explicit deployment a command has that of its store; a store of another deployment is refused.
 *
 * @param overrides settings that the command sets itself
 */
export type OpenStore = (
  use: (config: Config) => Steps<Repositories | Cryptography>,
  overrides?: Partial<Config>,
) => Effect.Effect<void, Failure>

/** Opens the store as a command may: see {@link StoreUse}. */
export const openStore =
  (storeUse: StoreUse): OpenStore =>
  (use, overrides = {}) =>
    withConfig(function* (given) {
      const config = { ...given, ...overrides }
      const { database } = config
      if (isEphemeral(database)) {
        return yield* new WrongUsage({
          reason: "DATABASE_URL names a store in memory, which every process has for itself. Name one that is kept.",
        })
      }
      let isNew = false
      const onMade = () => {
        isNew = true
      }
      const program = Effect.gen(function* () {
        yield* sayStore(database, isNew)
        const kept = yield* claimStoreDeployment(config.namedDeployment)
        const deployment = Option.getOrElse(kept, () => config.deployment)
        yield* Effect.gen(() => use({ ...config, deployment }))
      })
      const leavesSearchKeys = overrides.migrate !== true
      yield* provideServices(config, program, { mustExist: storeUse === "opens", onMade, leavesSearchKeys })
    })
