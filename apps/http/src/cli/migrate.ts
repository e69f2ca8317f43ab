/** `petstore migrate`: brings the store's schema up to date. `--distribute` also distributes the store over machines. */
import { distributeStore } from "@petstore/storage"
import { Effect } from "effect"
import { refusePlainText } from "../process/safety.js"
import { counted, type OutputOptions, print } from "./output.js"
import { WrongUsage, warn, withConfig } from "./program.js"
import { settleRestored } from "./restored.js"
import { type OpenStore, sayStore } from "./store.js"

/** The default number of shards per table. Every page queries all shards, and each worker needs at least one. */
const usualShards = 8

interface MigrateOptions extends OutputOptions {
  readonly distribute?: true
  readonly shards?: number
  readonly restored?: true
  readonly former?: string
  readonly keys?: string
}

export const migrate = (open: OpenStore, { distribute, shards, restored, former, keys, ...options }: MigrateOptions) => {
  if (restored === true) {
    if (distribute === true) return new WrongUsage({ reason: "Pass --restored first, and --distribute in a second command." })
    return settleRestored({ ...options, ...(former !== undefined && { former }), ...(keys !== undefined && { keys }) })
  }
  if (former !== undefined || keys !== undefined) {
    return new WrongUsage({ reason: "--former and --keys need --restored: pass it too." })
  }
  if (distribute !== true) {
    if (shards !== undefined) return new WrongUsage({ reason: "--shards needs --distribute: pass both." })
    const schema = function* () {
      yield* Effect.sync(() => print(options, { migrated: true }, "The store's schema is up to date."))
    }
    return open(schema, { migrate: true })
  }
  return withConfig(function* (config) {
    const { database } = config
    const onPlainText = refusePlainText(config, warn)
    const made = yield* distributeStore(database, { shards: shards ?? usualShards, onPlainText })
    yield* sayStore(database)
    const spread = `its tables are distributed over ${counted(made.workers, "worker")}, each table in ${counted(made.shards, "shard")}`
    print(options, { migrated: true, ...made }, `The store's schema is up to date, and ${spread}.`)
  })
}
