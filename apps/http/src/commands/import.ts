/** `petstore import`: animals from a file into the store, each judged by the rules of `POST /pets`. */
import { closeSync, openSync, readSync, statSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { type NewPet, PetRepository, StorageUnavailable } from "@petstore/core"
import { Effect, Option, Stream } from "effect"
import { type PetFileFormat, petFileFormatOf, type Row, readPetRows, UnreadablePetFile } from "../pet-files/pet-file.js"
import { type OutputOptions, print } from "./output.js"
import { CommandFailed, WrongUsage, withKeptServices } from "./program.js"
import { type Progress, progressOf } from "./progress.js"

/** Animals that share a transaction: few enough for a serving process to get its turn in between. */
const batchMaximum = 4_000

/** Read at once. Reading blocks the process, which has nothing else to do. */
const chunkBytes = 262_144

/** The name of a file that stands for standard input. */
const standardInput = "-"

/** Rejected rows that are shown one by one; the others are only counted. */
const shownRejections = 100

export interface ImportOptions extends OutputOptions {
  readonly format?: PetFileFormat
  readonly allOrNothing?: true
}

/** What became of the rows of a file. */
interface Tally {
  /** Rows that were read, good and bad. */
  read: number
  rejected: number
  /** Rows that are in the store for good. */
  kept: number
  /** The first rejected rows: the line on which each starts, and why. */
  readonly rejections: Array<{ readonly line: number; readonly reason: string }>
}

interface PetFile {
  readonly path: string
  /** Size in bytes, unknown of what is no regular file. */
  readonly size: Option.Option<number>
  readonly format: PetFileFormat
  /** Most bytes of one row. */
  readonly rowLimitBytes: number
}

export const importPets = (path: string, options: ImportOptions) => {
  // Batches that are done with are still linked to from older garbage of the running effect, so they
  // reach the old generation, which V8 lets grow fourfold before it collects it. It may grow by half here.
  setFlagsFromString("--heap-growing-percent=50")
  return withKeptServices(({ bodyLimitBytes }) =>
    Effect.gen(function* () {
      const format = options.format ?? Option.getOrUndefined(petFileFormatOf(path))
      if (format === undefined) {
        return yield* new WrongUsage({ reason: `${path} ends neither in .ndjson, .jsonl nor in .csv: name its --format.` })
      }
      const file: PetFile = { path, format, rowLimitBytes: bodyLimitBytes, size: yield* sizeOf(path) }
      const tally = yield* options.allOrNothing ? keepAllOrNothing(file) : keepWhatIsGood(file)
      const { read, kept, rejected, rejections } = tally
      print(options, { read, kept, rejected, rejections }, `${read} animals read, ${kept} kept, ${rejected} rejected.`)
      if (rejected > 0) {
        const rest = kept === 0 ? "nothing was kept" : `${kept} were kept`
        return yield* new CommandFailed({ reason: `${rejected} of ${read} rows were rejected, ${rest}.` })
      }
    }),
  )
}

/** Keeps every good row. What is kept stays, whatever comes later in the file. */
const keepWhatIsGood = (file: PetFile): Effect.Effect<Tally, CommandFailed, PetRepository> =>
  Effect.gen(function* () {
    const pets = yield* PetRepository
    const tally = emptyTally()
    const keep = (batch: ReadonlyArray<NewPet>) =>
      Effect.map(pets.insertAll(Stream.make(batch)), (kept) => {
        tally.kept += kept
      })
    yield* Stream.runForEach(goodPets(file, tally, "import"), keep).pipe(
      Effect.mapError((failure) => {
        const reason = `${explain(failure)} The first ${tally.kept} good rows were kept`
        return new CommandFailed({
          reason: failure._tag === "StorageUnavailable" ? `${reason}; up to ${batchMaximum} more may have been.` : `${reason}.`,
        })
      }),
    )
    return tally
  })

/** Reads the file twice: first it is only judged; then, if every row is good, kept in one transaction. */
const keepAllOrNothing = (file: PetFile): Effect.Effect<Tally, CommandFailed | WrongUsage, PetRepository> =>
  Effect.gen(function* () {
    if (Option.isNone(file.size)) {
      return yield* new WrongUsage({ reason: `--all-or-nothing reads a file twice, which ${file.path} does not allow.` })
    }
    const pets = yield* PetRepository
    const judged = emptyTally()
    yield* Stream.runDrain(goodPets(file, judged, "check"))
    if (judged.rejected > 0) return judged
    const tally = emptyTally()
    tally.kept = yield* pets.insertAll(goodPets(file, tally, "import").pipe(Stream.concat(failUnlessSame(file, judged, tally))))
    return tally
  }).pipe(
    Effect.mapError((failure) =>
      failure._tag === "WrongUsage"
        ? failure
        : new CommandFailed({
            reason: `${explain(failure)} ${failure._tag === "StorageUnavailable" ? "All rows were kept, or none." : "Nothing was kept."}`,
          }),
    ),
  )

/** Ends a stream with nothing, or with a failure if the second reading of a file was not like the first. */
const failUnlessSame = (file: PetFile, first: Tally, second: Tally): Stream.Stream<never, UnreadablePetFile> =>
  Stream.suspend(() =>
    second.read === first.read && second.rejected === 0
      ? Stream.empty
      : Stream.fail(new UnreadablePetFile({ reason: `${file.path} was changed while it was read.` })),
  )

const explain = (failure: UnreadablePetFile | StorageUnavailable): string =>
  failure instanceof StorageUnavailable
    ? `The store does not answer: ${failure.cause instanceof Error ? failure.cause.message : String(failure.cause)}.`
    : failure.reason

const emptyTally = (): Tally => ({ read: 0, rejected: 0, kept: 0, rejections: [] })

/** The good rows of a file in batches. Every row is counted, bad ones are reported, and the progress is shown under `activity`. */
const goodPets = (file: PetFile, tally: Tally, activity: string): Stream.Stream<ReadonlyArray<NewPet>, UnreadablePetFile> =>
  Stream.acquireRelease(
    tryFile(() => (file.path === standardInput ? 0 : openSync(file.path, "r"))),
    (descriptor) => Effect.sync(() => descriptor > 0 && closeSync(descriptor)),
  ).pipe(
    Stream.flatMap((descriptor) =>
      Stream.unfoldEffect(readGoodPets(file, descriptor, tally, progressOf(activity)), (batches) =>
        tryFile(() => {
          const { done, value } = batches.next()
          return done === true ? Option.none() : Option.some([value, batches] as const)
        }),
      ),
    ),
  )

function* readGoodPets(
  { size, format, rowLimitBytes }: PetFile,
  descriptor: number,
  tally: Tally,
  progress: Progress,
): Generator<ReadonlyArray<NewPet>, void> {
  let bytesRead = 0
  const chunks = function* () {
    const buffer = Buffer.allocUnsafe(chunkBytes)
    for (let size = readSync(descriptor, buffer); size > 0; size = readSync(descriptor, buffer)) {
      bytesRead += size
      yield buffer.subarray(0, size)
    }
  }
  try {
    for (const rows of readPetRows(chunks(), format, rowLimitBytes)) {
      const good = rows.flatMap((row) => count(row, tally, progress) ?? [])
      progress.show(
        tally.read,
        Option.map(size, (bytes) => Math.min(1, bytesRead / bytes)),
      )
      for (let start = 0; start < good.length; start += batchMaximum) yield good.slice(start, start + batchMaximum)
    }
  } finally {
    progress.end()
  }
  if (tally.rejected > shownRejections) progress.say(`${tally.rejected - shownRejections} more rows were rejected.`)
}

/** Counts a row, and reports a bad one. Answers the pet of a good one. */
const count = (row: Row, tally: Tally, progress: Progress): NewPet | undefined => {
  tally.read += 1
  if (row.pet !== undefined) return row.pet
  tally.rejected += 1
  if (tally.rejected <= shownRejections) {
    tally.rejections.push({ line: row.line, reason: row.problem })
    progress.say(`line ${row.line}: ${row.problem}`)
  }
  return undefined
}

const sizeOf = (path: string): Effect.Effect<Option.Option<number>, CommandFailed> =>
  tryFile(() => {
    const file = path === standardInput ? undefined : statSync(path)
    return file?.isFile() ? Option.some(file.size) : Option.none()
  }).pipe(Effect.mapError(({ reason }) => new CommandFailed({ reason })))

/** A file that cannot be read is a failure, in the words of the system; whatever else is thrown is a defect. */
const tryFile = <A>(work: () => A): Effect.Effect<A, UnreadablePetFile> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (thrown) {
      if (thrown instanceof UnreadablePetFile) return thrown
      return thrown instanceof Error && "syscall" in thrown
        ? new UnreadablePetFile({ reason: `The file cannot be read: ${thrown.message}.` })
        : Effect.die(thrown)
    }
  })
