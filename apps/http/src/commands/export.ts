/** `petstore export`: all animals into a file, or to standard output. */
import { open, realpath, rename, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { type Pet, type PetId, PetRepository, type StorageUnavailable } from "@petstore/core"
import { Effect, Option } from "effect"
import { type PetFileFormat, petFileEncoders, petFileFormatOf } from "../pet-files/pet-file.js"
import { type OutputOptions, print } from "./output.js"
import { CommandFailed, WrongUsage, withKeptServices } from "./program.js"
import { progressOf } from "./progress.js"

/** Animals that are read at once. */
const pageLimit = 1_000

/** The name of a file that stands for standard output. */
const standardOutput = "-"

export interface ExportOptions extends OutputOptions {
  readonly format?: PetFileFormat
}

export const exportPets = (file: string, options: ExportOptions) =>
  withKeptServices(() =>
    Effect.gen(function* () {
      const format = options.format ?? Option.getOrElse(petFileFormatOf(file), () => "ndjson" as const)
      if (file !== standardOutput) {
        const exported = yield* writeFile(file, (write) => writePets(format, write))
        print(options, { exported, file }, `${exported} animals exported to ${file}.`)
      } else if (options.json === true) {
        return yield* new WrongUsage({ reason: "--json would stand between the animals on standard output: name a file." })
      } else yield* writePets(format, writeToStandardOutput)
    }),
  )

type Write = (text: string) => Promise<unknown>

/** Writes all animals by ascending id and answers how many there were. What is added meanwhile may be among them. */
const writePets = (
  format: PetFileFormat,
  write: Write,
): Effect.Effect<number, StorageUnavailable | CommandFailed, PetRepository> =>
  Effect.gen(function* () {
    const pets = yield* PetRepository
    const { start, encode } = petFileEncoders[format]
    const progress = yield* Effect.acquireRelease(
      Effect.sync(() => progressOf("export")),
      ({ end }) => Effect.sync(end),
    )
    yield* tryFile(() => write(start))
    let exported = 0
    let page: ReadonlyArray<Pet>
    let after = Option.none<PetId>()
    do {
      page = yield* pets.list({ status: Option.none(), after, limit: pageLimit })
      const text = page.map(encode).join("")
      yield* tryFile(() => write(text))
      exported += page.length
      after = Option.fromNullable(page.at(-1)?.id)
      progress.show(exported, Option.none())
    } while (page.length === pageLimit)
    return exported
  }).pipe(Effect.scoped)

/**
 * Makes a file that is whole or not there: it is written under another name beside
 * its own, and takes its own when every byte is on disk. What was there before is replaced.
 */
const writeFile = <E, R>(
  file: string,
  writeAll: (write: Write) => Effect.Effect<number, E, R>,
): Effect.Effect<number, E | CommandFailed | WrongUsage, R> =>
  Effect.gen(function* () {
    const target = yield* targetOf(file)
    const partial = `${target}.${process.pid}.partial`
    return yield* Effect.acquireUseRelease(
      tryFile(() => open(partial, "wx")),
      (handle) =>
        Effect.gen(function* () {
          const exported = yield* writeAll((text) => handle.appendFile(text))
          yield* tryFile(() => handle.sync())
          yield* tryFile(() => rename(partial, target))
          yield* tryFile(() => syncDirectory(dirname(target)))
          return exported
        }),
      (handle) =>
        Effect.promise(async () => {
          await handle.close()
          await rm(partial, { force: true })
        }),
    )
  })

/** Where to write: behind a symbolic link, and never in place of a device or a pipe. */
const targetOf = (file: string): Effect.Effect<string, CommandFailed | WrongUsage> =>
  Effect.gen(function* () {
    const target = yield* tryFile(() => realpath(file).catch(() => file))
    const isOther = yield* tryFile(() =>
      stat(target).then(
        (found) => !found.isFile(),
        () => false,
      ),
    )
    return isOther
      ? yield* new WrongUsage({ reason: `${file} is no regular file. For standard output write ${standardOutput}.` })
      : target
  })

/** Keeps the new name of a file through a power loss. */
const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(path, "r")
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Waits until the text has left: a slow reader must not fill the memory. */
const writeToStandardOutput: Write = (text) =>
  new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })

/** A file that cannot be written is a failure, in the words of the system. */
const tryFile = <A>(work: () => Promise<A>): Effect.Effect<A, CommandFailed> =>
  Effect.tryPromise({
    try: work,
    catch: (thrown) =>
      new CommandFailed({
        reason: `The export cannot be written: ${thrown instanceof Error ? thrown.message : String(thrown)}.`,
      }),
  })
