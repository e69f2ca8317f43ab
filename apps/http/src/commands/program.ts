/** How a command runs: settings read, store opened, failures said in one line, an exit code at the end. */
import type {
  AccountNameTaken,
  AccountNotFound,
  ApiKeyNotFound,
  Cryptography,
  InvalidParameter,
  StorageUnavailable,
} from "@petstore/core"
import { isEphemeral, nodeCryptography, type Repositories, type StorageNotOpened, storage } from "@petstore/storage"
import { Cause, Data, Effect, Exit, Layer, Option } from "effect"
import { type Config, type InvalidConfig, readConfig } from "../config.js"

/** A command cannot do what it was asked to, for a reason that `reason` tells in a sentence. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{ readonly reason: string }> {}

/** What a command was given makes no sense. */
export class WrongUsage extends Data.TaggedError("WrongUsage")<{ readonly reason: string }> {}

type Failure =
  | CommandFailed
  | WrongUsage
  | InvalidConfig
  | StorageNotOpened
  | StorageUnavailable
  | InvalidParameter
  | AccountNameTaken
  | AccountNotFound
  | ApiKeyNotFound

const exitCodes = { failed: 1, wrongUsage: 2 }

const explain = (failure: Failure): { readonly text: string; readonly exitCode: number } => {
  const failed = (text: string) => ({ text, exitCode: exitCodes.failed })
  switch (failure._tag) {
    case "InvalidConfig":
      return { text: ["Wrong settings:", ...failure.problems].join("\n  "), exitCode: exitCodes.wrongUsage }
    case "WrongUsage":
      return { text: failure.reason, exitCode: exitCodes.wrongUsage }
    case "CommandFailed":
    case "StorageNotOpened":
      return failed(failure.reason)
    case "InvalidParameter":
      return { text: `${failure.parameter}: ${failure.expected}, got ${failure.received}.`, exitCode: exitCodes.wrongUsage }
    case "StorageUnavailable":
      return failed(
        `The store does not answer: ${failure.cause instanceof Error ? failure.cause.message : String(failure.cause)}`,
      )
    case "AccountNameTaken":
      return failed(`There is an account with the name ${JSON.stringify(failure.name)} already.`)
    case "AccountNotFound":
      return failed(`There is no account with the name ${JSON.stringify(failure.name)}. Make it: petstore accounts create NAME`)
    case "ApiKeyNotFound":
      return failed(`There is no API key with the identifier ${JSON.stringify(failure.keyId)}. List them: petstore keys list`)
  }
}

/** Runs a command to its end and sets the exit code of the process. */
export const runCommand = async (command: Effect.Effect<void, Failure>): Promise<void> => {
  const exit = await Effect.runPromiseExit(command)
  if (Exit.isSuccess(exit)) return
  const { text, exitCode } = Option.match(Cause.failureOption(exit.cause), {
    onNone: () => ({ text: Cause.pretty(exit.cause), exitCode: exitCodes.failed }),
    onSome: explain,
  })
  process.stderr.write(`petstore: ${text}\n`)
  process.exitCode = exitCode
}

type Command<E> = (config: Config) => Effect.Effect<void, E, Repositories | Cryptography>

const provideServices = <E>(config: Config, command: Command<E>): Effect.Effect<void, E | StorageNotOpened> =>
  Effect.provide(command(config), Layer.merge(storage(config.database, { migrate: true }), nodeCryptography))

/** Gives a command the settings and everything that use cases need, for as long as it runs. */
export const withServices = <E>(command: Command<E>): Effect.Effect<void, E | InvalidConfig | StorageNotOpened> =>
  Effect.flatMap(readConfig(), (config) => provideServices(config, command))

/** The same, for a command that would do nothing on a store that ends with the process. */
export const withKeptServices = <E>(
  command: Command<E>,
): Effect.Effect<void, E | InvalidConfig | StorageNotOpened | WrongUsage> =>
  Effect.flatMap(
    readConfig(),
    (config): Effect.Effect<void, E | StorageNotOpened | WrongUsage> =>
      isEphemeral(config.database)
        ? new WrongUsage({
            reason: "DATABASE_URL names a store in memory, which every process has for itself. Name one that is kept.",
          })
        : provideServices(config, command),
  )
