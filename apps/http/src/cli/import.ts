/** `petstore import`: adds pets as `POST /pets` does or, with `--update` (experimental), corrects pets as `PATCH` does. */
import { setFlagsFromString } from "node:v8"
import { PetNotFound, PetRepository, PetReserved, type ValidNewPet } from "@petstore/core"
import { Effect, Stream } from "effect"
import { type PetFileReader, type PetUpdate, petFileFormatOf, readPetRows, readUpdateRows } from "./files/pet-file.js"
import { rejectedCsv, rejectedNdjson } from "./files/rejected-rows.js"
import {
  batchMaximum,
  countKept,
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

export const importPets = (open: OpenStore, path: string, options: ImportOptions) => {
  // Garbage from the running effect keeps finished batches reachable, so they reach V8's old generation. By default, V8
  // lets the old generation grow fourfold before it collects the garbage. With this flag, the old generation may only double.
  setFlagsFromString("--heap-growing-percent=100")
  return importPetFile(open, path, options, readPetRows, options.allOrNothing ? importAllOrNothing : importGoodRows)
}

export const importUpdates = (open: OpenStore, path: string, options: ImportOptions) =>
  importPetFile(open, path, options, readUpdateRows, correctRows)

/** Checks the arguments and, for a dry run, the rows. Otherwise, opens the store, and keeps the rows. */
const importPetFile = <A>(
  open: OpenStore,
  path: string,
  options: ImportOptions,
  read: PetFileReader<A>,
  keep: (file: ImportFile<A>, report: ImportReport) => Effect.Effect<void, CommandFailed | WrongUsage, PetRepository>,
) =>
  runImport(path, options, "animals", (report) =>
    Effect.gen(function* () {
      const { delimiter, columns, update, allOrNothing = false, dryRun } = options
      const refuse = (reason: string) => new WrongUsage({ reason })
      if (update && allOrNothing) {
        return yield* refuse("--all-or-nothing is for new animals: the store decides on each correction.")
      }
      const format = yield* petFileFormatOf(path, options.format)
      if (columns?.id !== undefined && !update) {
        return yield* refuse("--columns id is for --update: the store assigns the identifiers of new animals.")
      }
      if (format === "ndjson" && (delimiter !== undefined || columns !== undefined)) {
        return yield* refuse(`--${delimiter === undefined ? "columns" : "delimiter"} is for CSV; ${path} is NDJSON.`)
      }
      const rejectedRows = format === "csv" ? rejectedCsv(delimiter) : rejectedNdjson()
      const file = yield* importFileOf(path, options, report, rejectedRows, read(format, options))
      if (dryRun) {
        const good = yield* Stream.runFold(goodRows(file, report), 0, (count, rows) => count + rows.length)
        report.kept = allOrNothing && report.rejected > 0 ? 0 : good
        return
      }
      yield* open(function* () {
        yield* keep(file, report)
      })
    }),
  )

/** Stores every good row, even if later rows are bad. */
const importGoodRows = (file: ImportFile<ValidNewPet>, report: ImportReport) =>
  Effect.flatMap(PetRepository, ({ insertAll }) =>
    Stream.runForEach(goodRows(file, report), (batch) =>
      Effect.map(insertAll(Stream.make(batch)), (kept) => {
        report.kept += kept
      }),
    ),
  ).pipe(
    Effect.mapError((failure) => {
      const rows = report.kept === 0 ? "None of the valid rows" : `The first ${counted(report.kept, "valid row")}`
      const doubt = failure._tag === "StorageUnavailable" ? `; up to ${batchMaximum} more may have been` : ""
      return new CommandFailed({ reason: `${explain(failure)} ${rows} ${report.kept > 1 ? "were" : "was"} kept${doubt}.` })
    }),
  )

/** Reads the file twice: first to check it and then, if every row is good, to store all rows in one transaction. */
const importAllOrNothing = (file: ImportFile<ValidNewPet>, report: ImportReport) =>
  Effect.gen(function* () {
    if (file.size === undefined) {
      return yield* new WrongUsage({ reason: `--all-or-nothing reads a file twice, but ${file.path} can be read only once.` })
    }
    const { insertAll } = yield* PetRepository
    yield* Stream.runDrain(goodRows(file, report))
    if (report.rejected > 0) return
    const second = new ImportReport("import", "animals")
    const again = goodRows(file, second)
    const failUnlessSame = Stream.suspend(() =>
      second.read === report.read && second.rejected === 0
        ? Stream.empty
        : Stream.fail(new CommandFailed({ reason: `${file.path} changed while it was being read.` })),
    )
    report.kept = yield* insertAll(Stream.concat(again, failUnlessSame))
  }).pipe(
    Effect.mapError((failure) => {
      if (failure._tag === "WrongUsage") return failure
      const kept = failure._tag === "StorageUnavailable" ? "All rows were kept, or none." : "Nothing was kept."
      return new CommandFailed({ reason: `${explain(failure)} ${kept}` })
    }),
  )

const goodRows = <A>(file: ImportFile<A>, report: ImportReport): Stream.Stream<ReadonlyArray<A>, CommandFailed> =>
  readBatches(file, report).pipe(
    Stream.mapEffect((rows) => {
      const good = rows.map((row) => report.take(row)).filter((value) => value !== undefined)
      return Effect.as(report.writeRejected, good)
    }),
    Stream.filter((good) => good.length > 0),
  )

/** Corrects the good rows of a batch in one transaction. If the store refuses a row, the row is rejected like a bad row. */
const correctRows = (file: ImportFile<PetUpdate>, report: ImportReport) =>
  Effect.flatMap(PetRepository, (pets) =>
    Stream.runForEach(readBatches(file, report), (rows) => {
      const good = rows.flatMap((row) => {
        const update = report.take(row)
        return update === undefined ? [] : [{ row, update }]
      })
      return Effect.map(pets.correctAll(good.map(({ update }) => update)), (outcomes) => {
        for (const [index, { row, update }] of good.entries()) {
          const [petId] = update
          const outcome = outcomes[index]
          if (outcome === "done") report.kept += 1
          else report.reject(row, (outcome === "reserved" ? new PetReserved({ petId }) : new PetNotFound({ petId })).message)
        }
      }).pipe(Effect.zipRight(report.writeRejected))
    }),
  ).pipe(
    Effect.mapError((failure) => {
      const doubt = failure._tag === "StorageUnavailable" ? `; up to ${batchMaximum} more may have been` : ""
      return new CommandFailed({ reason: `${explain(failure)} ${countKept(report, "correction")}${doubt}.` })
    }),
  )
