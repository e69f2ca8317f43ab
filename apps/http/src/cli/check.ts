/** The checks of `petstore serve`. A start checks the settings and keys, and `--check` also inspects the ports and the store. */
import { existsSync } from "node:fs"
import { access, constants, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { checkStoreDeployment, type StorageUnavailable } from "@petstore/core"
import { isEphemeral, StorageNotOpened } from "@petstore/storage"
import { refuseFullDisk, refuseUnwritable } from "@petstore/storage/internal"
import { Effect, Option } from "effect"
import type { Config } from "../config.js"
import { checkAddress } from "../http/listen.js"
import { refuseVolatile, unsafeSettings, usableKeys } from "../process/safety.js"
import { say } from "../telemetry/log-line.js"
import { listenersOf } from "./doctor/ports.js"
import { CommandFailed, type Failure, messageOf, provideServices, textOf, WrongUsage } from "./program.js"

export const refuseUnsafeSettings = (config: Config): Effect.Effect<void, WrongUsage> => {
  const problems = unsafeSettings(config)
  return problems.length === 0 ? Effect.void : new WrongUsage({ reason: ["Unsafe settings:", ...problems].join("\n  ") })
}

/** Refuses development keys in a production store: a sign that the store was copied or made by hand. */
export const refuseUnsafeKeys = ({ deployment }: Config) =>
  Effect.gen(function* () {
    const keys = deployment === "production" ? yield* usableKeys("development") : []
    if (keys.length === 0) return
    const ids = keys.map(({ id }) => id).join(" ")
    yield* new CommandFailed({
      reason: `A production store must not accept development keys, but this one accepts ${keys.length}. Run: petstore keys revoke ${ids}`,
    })
  })

/** Whether the path does not exist. If `stat` fails for another reason, the path counts as existing. */
const isMissing = (path: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    stat(path).then(
      () => false,
      (thrown: NodeJS.ErrnoException) => thrown.code === "ENOENT",
    ),
  )

/** The nearest existing folder above the path. A start would create the missing file and its folders there. */
const nearestFolder = (path: string): string => (existsSync(dirname(path)) ? dirname(path) : nearestFolder(dirname(path)))

const tell = (sentence: string) => Effect.sync(() => say(process.stdout, "info", sentence))

const causeAsFailure = <A>(look: Effect.Effect<A, StorageUnavailable>) =>
  Effect.mapError(look, ({ cause }) => new CommandFailed({ reason: messageOf(cause) }))

/** Checks whether a start could create the missing file, without creating it. */
const checkMissingFile = (path: string, migrate: boolean): Effect.Effect<void, CommandFailed> =>
  Effect.gen(function* () {
    if (!migrate)
      return yield* new CommandFailed({ reason: `There is no store at ${path}, and MIGRATE=off. Run: petstore migrate` })
    const folder = nearestFolder(path)
    yield* Effect.tryPromise({
      try: () => access(folder, constants.W_OK),
      catch: () => new CommandFailed({ reason: `There is no store at ${path}, and this user cannot create one in ${folder}.` }),
    })
    yield* tell(`The settings are valid. There is no store at ${path} yet: the first start will create it.`)
  })

/** Checks the ports, and inspects the store without changing it. */
export const checkStore = (config: Config): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const { database, migrate } = config
    for (const { host, port, settings } of listenersOf(config)) yield* checkAddress(host, port, settings)
    if ("path" in database && !isEphemeral(database)) {
      const path = resolve(database.path)
      // There must be room for a first transaction, either in the existing file or in the folder where it would be created.
      yield* causeAsFailure(refuseFullDisk(path, nearestFolder(path)))
      if (yield* isMissing(database.path)) return yield* checkMissingFile(database.path, migrate)
      yield* causeAsFailure(refuseUnwritable(database.path))
    }
    const onVolatile = refuseVolatile(config, (reason) => say(process.stderr, "warn", reason))
    const checks = Effect.zipRight(checkStoreDeployment(Option.some(config.deployment)), refuseUnsafeKeys(config))
    // An in-memory store is new on every start, so migrating it has no lasting effect.
    const look = provideServices({ ...config, migrate: isEphemeral(database) }, checks, { onVolatile })
    const outdated = yield* look.pipe(
      Effect.catchTag("StorageUnavailable", (failure) => new StorageNotOpened({ reason: textOf(failure), isUnreachable: true })),
      Effect.as(false),
      Effect.catchTag("StorageNotOpened", (failure) =>
        failure.schemaIsOlder === true && migrate ? Effect.succeed(true) : failure,
      ),
    )
    const schema = outdated ? "The store has an older schema: the next start will bring it up to date." : "The store is ready."
    return yield* tell(`The settings are valid. ${schema}`)
  })
