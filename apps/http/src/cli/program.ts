/** Runs a command: reads the settings, opens the store, reports a failure, and sets the exit code. */
import type { AdministrationError, Cryptography, DeploymentMismatch, InvalidParameter, StorageUnavailable } from "@petstore/core"
import { type BackupFailed, nodeCryptography, type Repositories, type StorageNotOpened } from "@petstore/storage"
import { type ServiceStorageOptions, serviceStorage } from "@petstore/storage/internal"
import { Cause, Data, Effect, Exit, Layer, Match, Option, type Utils } from "effect"
import { type Config, type InvalidConfig, readConfig } from "../config.js"
import type { NotListening } from "../http/listen.js"
import { refusePlainText } from "../process/safety.js"
import { observeStore } from "../telemetry/store-observer.js"
import type { Telemetry } from "../telemetry/telemetry.js"

/** A command failed. `reason` explains why in a sentence. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{ readonly reason: string }> {}

/** A command's arguments are invalid or contradict each other, or its settings are valid but refused. */
export class WrongUsage extends Data.TaggedError("WrongUsage")<{ readonly reason: string }> {}

export type Failure =
  | CommandFailed
  | NotListening
  | WrongUsage
  | InvalidConfig
  | StorageNotOpened
  | BackupFailed
  | StorageUnavailable
  | InvalidParameter
  | AdministrationError
  | DeploymentMismatch

export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** The library's reason, followed by the command that helps, if there is one. */
export const withCommand = (failure: StorageNotOpened | BackupFailed): string => {
  if ("mayReplace" in failure && failure.mayReplace) return `${failure.reason} Pass --replace to replace it.`
  if ("isMissing" in failure && failure.isMissing) {
    return `${failure.reason} Name your store in DATABASE_URL. To create a store: petstore migrate`
  }
  return "schemaIsOlder" in failure && failure.schemaIsOlder ? `${failure.reason} Run: petstore migrate` : failure.reason
}

export const textOf: (failure: Failure) => string = Match.valueTags({
  InvalidConfig: ({ problems }) => ["Invalid settings:", ...problems].join("\n  "),
  WrongUsage: ({ reason }) => reason,
  CommandFailed: ({ reason }) => reason,
  NotListening: ({ reason }) => reason,
  StorageNotOpened: withCommand,
  BackupFailed: withCommand,
  InvalidParameter: ({ parameter, expected, received }) => `${parameter}: ${expected}, got ${received}.`,
  StorageUnavailable: ({ cause }) => `The database is unavailable: ${messageOf(cause)}`,
  AccountNameTaken: ({ name }) => `An account with the name ${JSON.stringify(name)} already exists.`,
  AccountNotFound: ({ name }) =>
    `There is no account with the name ${JSON.stringify(name)}. Create it: petstore accounts create NAME`,
  ApiKeyInactive: ({ keyId }) =>
    `The API key ${keyId} is revoked or expired. Create a new one: petstore keys create --account NAME`,
  ApiKeyChanged: ({ keyId }) =>
    `The API key ${keyId} has already been rotated, or is being revoked right now. No new key was created. To rotate its successor instead, list the keys: petstore keys list`,
  DeploymentMismatch: ({ kept, ours }) =>
    `The store belongs to ${kept}, but this command belongs to ${ours}. Set PETSTORE_ENV=${kept}, or name another store in DATABASE_URL.`,
  ApiKeyNotFound: ({ keyId }) =>
    `There is no API key with the identifier ${JSON.stringify(keyId)}. List them: petstore keys list`,
})

/** Whether a store could not be used because its database is unavailable, so that a later attempt may succeed. */
export const isUnavailable = (failure: Failure): failure is StorageNotOpened | StorageUnavailable =>
  failure._tag === "StorageUnavailable" || (failure._tag === "StorageNotOpened" && failure.isUnreachable === true)

/** The exit codes of every command. docs/reference/commands.md is made from these rows. */
export const exitCodes = {
  success: { code: 0, meaning: "success" },
  failure: { code: 1, meaning: "failure" },
  wrongUsage: { code: 2, meaning: "invalid usage or settings" },
  /** EX_TEMPFAIL of sysexits.h. */
  unavailable: { code: 75, meaning: "the store could not be opened, because the database server is unavailable" },
}

const wrongUsages: ReadonlySet<Failure["_tag"]> = new Set(["InvalidConfig", "WrongUsage", "InvalidParameter"])

const sayOnTerminal = async (text: string): Promise<void> => {
  process.stderr.write(`petstore: ${text}\n`)
}

/** The exit code of a failed command. A command whose database fails after the start may have done a part of its work. */
const exitCodeOf = (failure: Failure): number => {
  if (failure._tag === "StorageNotOpened" && isUnavailable(failure)) return exitCodes.unavailable.code
  return (wrongUsages.has(failure._tag) ? exitCodes.wrongUsage : exitCodes.failure).code
}

/** Runs a command. If it fails, `say` reports why, and sets the exit code. */
export const runCommand = async (command: Effect.Effect<void, Failure>, say = sayOnTerminal): Promise<void> => {
  const exit = await Effect.runPromiseExit(command)
  if (Exit.isSuccess(exit)) return
  const failure = Cause.failureOption(exit.cause)
  process.exitCode = Option.match(failure, { onNone: () => 1, onSome: exitCodeOf })
  await say(Option.match(failure, { onNone: () => Cause.pretty(exit.cause), onSome: textOf }))
}

/** How a program opens its store, in addition to the settings. */
interface Opening
  extends Pick<
    ServiceStorageOptions,
    "mustExist" | "readOnly" | "onVolatile" | "onNodes" | "leavesUpkeep" | "serviceLockMillis" | "onReplaced" | "onWarning"
  > {
  /** Called before the program runs. */
  readonly onOpened?: (isNew: boolean) => void
  /** Told if the connection to the database's machine is not encrypted. By default, `onWarning` is told. */
  readonly onPlainText?: (sentence: string) => void
  /** Observes the store of a program that serves requests. */
  readonly serving?: Pick<Telemetry, "store" | "metrics">
}

/** Prints a warning for the operator. */
export const warn = (sentence: string): void => void process.stderr.write(`petstore: ${sentence}\n`)

/** Provides a program with everything that use cases need, for as long as it runs. */
export const provideServices = <A, E>(
  config: Config,
  program: Effect.Effect<A, E, Repositories | Cryptography>,
  { serving, onOpened, onPlainText, ...opening }: Opening = {},
): Effect.Effect<A, E | StorageNotOpened> => {
  const metrics = serving?.metrics
  const { onWarning = warn } = opening
  let isNew = false
  const opened = serviceStorage(config.database, {
    ...opening,
    onWarning,
    onMade: () => {
      isNew = true
    },
    migrate: config.migrate,
    postgres: {
      poolSize: config.postgresPool,
      statementTimeoutMillis: config.postgresStatementTimeoutMillis,
      applicationName: config.postgresApplicationName,
      onPlainText: refusePlainText(config, (sentence) => {
        metrics?.plainText()
        const tell = onPlainText ?? onWarning
        tell(sentence)
      }),
    },
    hasReaders: serving !== undefined,
    ...(metrics && { onGroupCommit: metrics.groupCommit, onPool: metrics.pool, onNodes: metrics.nodes }),
  })
  const tell = Effect.sync(() => onOpened?.(isNew))
  return Effect.provide(Effect.zipRight(tell, program), Layer.merge(observeStore(opened, serving?.store ?? []), nodeCryptography))
}

/** A command's steps, as `Effect.gen` accepts them. */
export type Steps<Services = never> = Generator<Utils.YieldWrap<Effect.Effect<unknown, Failure, Services>>, void, never>

export const withConfig = (command: (config: Config) => Steps): Effect.Effect<void, Failure> =>
  Effect.flatMap(readConfig(), (config) => Effect.gen(() => command(config)))
