/** `petstore import`: adds a file's pets to the store, each checked against the rules of `POST /pets`. */
import { setFlagsFromString } from "node:v8"
import { PetRepository, type ValidNewPet } from "@petstore/core"
import { Effect, Option, Stream } from "effect"
import { type PetFileReader, petFileFormatOf, readPetRows } from "./files/pet-file.js"
import { rejectedCsv, rejectedNdjson } from "./files/rejected-rows.js"
import {
  batchMaximum,
  explain,
  type ImportFile,
  type ImportOptions,
  ImportReport,
  importFileOf,
  readBatches,
  runImport,
} from "./import-file.js"
import { counted } from "./output.js"
import { CommandFailed, WrongUsage } from "./program.js"
import type { OpenStore } from "./store.js"

type PetFile = ImportFile<ValidNewPet>

/** The pet file that the arguments name. Checks the arguments before the store is opened. */
export const petFileOf = <A>(path: string, options: ImportOptions, report: ImportReport, read: PetFileReader<A>) =>
  Effect.gen(function* () {
    const { delimiter, columns, update } = options
    const format = options.format ?? Option.getOrUndefined(petFileFormatOf(path))
    if (format === undefined) {
      return yield* new WrongUsage({ reason: `${path} does not end in .ndjson, .jsonl or .csv: pass --format.` })
    }
    if (columns?.id !== undefined && update === undefined) {
      return yield* new WrongUsage({ reason: "--columns id is for --update: the store assigns the identifiers of new animals." })
    }
    if (format === "ndjson" && (delimiter !== undefined || columns !== undefined)) {
      const option = delimiter === undefined ? "--columns" : "--delimiter"
      return yield* new WrongUsage({ reason: `${option} is for CSV; ${path} is NDJSON.` })
    }
    const rejectedRows = format === "csv" ? rejectedCsv(delimiter) : rejectedNdjson()
    return yield* importFileOf<A>(path, options, report, rejectedRows, (chunks, rowLimitBytes, onHeader) =>
      read(chunks, format, rowLimitBytes, options, onHeader),
    )
  })

export const importPets = (open: OpenStore, path: string, options: ImportOptions) => {
  // Garbage from the running effect keeps finished batches reachable, so they reach V8's old generation. By default, V8
  // lets the old generation grow fourfold before it collects the garbage. With this flag, the old generation may only double.
  setFlagsFromString("--heap-growing-percent=100")
  return runImport(path, options, "animals", (report) =>
    Effect.gen(function* () {
      const file = yield* petFileOf(path, options, report, readPetRows)
      const pets = goodRows(file, report)
      if (options.dryRun === true) return yield* checkRows(pets, report, options.allOrNothing === true)
      yield* open(function* () {
        yield* options.allOrNothing ? importAllOrNothing(file, pets, report) : importGoodRows(pets, report)
      })
    }),
  )
}

type Good<A> = Stream.Stream<ReadonlyArray<A>, CommandFailed>

/** Counts the rows that an import would store. */
export const checkRows = <A>(rows: Good<A>, report: ImportReport, isAllOrNothing: boolean): Effect.Effect<void, CommandFailed> =>
  Stream.runFold(rows, 0, (count, good) => count + good.length).pipe(
    Effect.mapError((failure) => new CommandFailed({ reason: explain(failure) })),
    Effect.flatMap((count) =>
      Effect.sync(() => {
        report.kept = isAllOrNothing && report.rejected > 0 ? 0 : count
      }),
    ),
  )

/** Stores every good row, even if later rows are bad. */
const importGoodRows = (pets: Good<ValidNewPet>, report: ImportReport): Effect.Effect<void, CommandFailed, PetRepository> =>
  Effect.flatMap(PetRepository, ({ insertAll }) =>
    Stream.runForEach(pets, (batch) =>
      Effect.map(insertAll(Stream.make(batch)), (kept) => {
        report.kept += kept
      }),
    ),
  ).pipe(
    Effect.mapError((failure) => {
      const rows = report.kept === 0 ? "None of the valid rows" : `The first ${counted(report.kept, "valid row")}`
      const reason = `${explain(failure)} ${rows} ${report.kept > 1 ? "were" : "was"} kept`
      return new CommandFailed({
        reason: failure._tag === "StorageUnavailable" ? `${reason}; up to ${batchMaximum} more may have been.` : `${reason}.`,
      })
    }),
  )

/** Reads the file twice: first to check it and then, if every row is good, to store all rows in one transaction. */
const importAllOrNothing = (
  file: PetFile,
  pets: Good<ValidNewPet>,
  report: ImportReport,
): Effect.Effect<void, CommandFailed | WrongUsage, PetRepository> =>
  Effect.gen(function* () {
    if (Option.isNone(file.size)) {
      return yield* new WrongUsage({ reason: `--all-or-nothing reads a file twice, but ${file.path} can be read only once.` })
    }
    const { insertAll } = yield* PetRepository
    yield* Stream.runDrain(pets)
    if (report.rejected > 0) return
    const second = new ImportReport("import", "animals")
    const again = goodRows(file, second)
    report.kept = yield* insertAll(Stream.concat(again, failUnlessSame(file, report, second)))
  }).pipe(
    Effect.mapError((failure) =>
      failure._tag === "WrongUsage"
        ? failure
        : new CommandFailed({
            reason: `${explain(failure)} ${failure._tag === "StorageUnavailable" ? "All rows were kept, or none." : "Nothing was kept."}`,
          }),
    ),
  )

/** Ends a stream with a failure if the second reading of the file found a different number of rows, or a bad row. */
const failUnlessSame = (file: PetFile, first: ImportReport, second: ImportReport): Stream.Stream<never, CommandFailed> =>
  Stream.suspend(() =>
    second.read === first.read && second.rejected === 0
      ? Stream.empty
      : Stream.fail(new CommandFailed({ reason: `${file.path} changed while it was being read.` })),
  )

export const goodRows = <A>(file: ImportFile<A>, report: ImportReport): Good<A> =>
  readBatches(file, report).pipe(
    Stream.mapEffect((rows) => {
      const good = rows.map((row) => report.take(row)).filter((value) => value !== undefined)
      return Effect.as(report.writeRejected, good)
    }),
    Stream.filter((good) => good.length > 0),
  )
