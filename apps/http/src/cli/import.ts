/** `petstore import`: animals from a file into the store, each checked by the rules of `POST /pets`. */
import { setFlagsFromString } from "node:v8"
import { type NewPet, PetRepository } from "@petstore/core"
import { Effect, Option, Stream } from "effect"
import { type PetFileFormat, petFileFormatOf, readPetRows } from "./files/pet-file.js"
import { UnreadableFile } from "./files/rows.js"
import { batchMaximum, explain, type ImportFile, ImportReport, readBatches, sayResult, sizeOf } from "./import-file.js"
import type { OutputOptions } from "./output.js"
import { CommandFailed, WrongUsage } from "./program.js"
import type { OpenStore } from "./store.js"

export interface ImportOptions extends OutputOptions {
  readonly format?: PetFileFormat
  /** What stands between the cells of CSV; a comma if absent. */
  readonly delimiter?: string
  readonly allOrNothing?: true
}

type PetFile = ImportFile<NewPet>

/** What is asked for, checked before the store is opened. */
const formatOf = (path: string, { format: given, delimiter }: ImportOptions): Effect.Effect<PetFileFormat, WrongUsage> =>
  Effect.suspend(() => {
    const format = given ?? Option.getOrUndefined(petFileFormatOf(path))
    if (format === undefined) {
      return new WrongUsage({ reason: `${path} ends neither in .ndjson, .jsonl nor in .csv: name its --format.` })
    }
    return delimiter === undefined || format === "csv"
      ? Effect.succeed(format)
      : new WrongUsage({ reason: "--delimiter is for CSV: nothing stands between the objects of NDJSON." })
  })

export const importPets = (open: OpenStore, path: string, options: ImportOptions) => {
  // Batches that are done with are still linked to from older garbage of the running effect, so they
  // reach the old generation, which V8 lets grow fourfold before it collects it. It may double here.
  setFlagsFromString("--heap-growing-percent=100")
  return Effect.flatMap(Effect.all([formatOf(path, options), sizeOf(path)]), ([format, size]) =>
    open(function* ({ bodyLimitBytes }) {
      const rowsOf = (chunks: Iterable<Buffer>) => readPetRows(chunks, format, bodyLimitBytes, options.delimiter)
      const file: PetFile = { path, size, rowsOf }
      const report = yield* options.allOrNothing ? importAllOrNothing(file) : importGoodRows(file)
      yield* sayResult(options, report, "animal")
    }),
  )
}

/** Keeps every good row. What is kept stays, whatever comes later in the file. */
const importGoodRows = (file: PetFile): Effect.Effect<ImportReport, CommandFailed, PetRepository> =>
  Effect.gen(function* () {
    const pets = yield* PetRepository
    const report = new ImportReport("import", "animals")
    const keep = (batch: ReadonlyArray<NewPet>) =>
      Effect.map(pets.insertAll(Stream.make(batch)), (kept) => {
        report.kept += kept
      })
    yield* Stream.runForEach(goodPets(file, report), keep).pipe(
      Effect.mapError((failure) => {
        const reason = `${explain(failure)} Of the good rows ${report.kept === 0 ? "none" : `the first ${report.kept}`} ${report.kept > 1 ? "were" : "was"} kept`
        return new CommandFailed({
          reason: failure._tag === "StorageUnavailable" ? `${reason}; up to ${batchMaximum} more may have been.` : `${reason}.`,
        })
      }),
    )
    return report
  })

/** Reads the file twice: first it is only checked; then, if every row is good, kept in one transaction. */
const importAllOrNothing = (file: PetFile): Effect.Effect<ImportReport, CommandFailed | WrongUsage, PetRepository> =>
  Effect.gen(function* () {
    if (Option.isNone(file.size)) {
      return yield* new WrongUsage({ reason: `--all-or-nothing reads a file twice, which ${file.path} does not allow.` })
    }
    const pets = yield* PetRepository
    const checked = new ImportReport("check", "animals")
    yield* Stream.runDrain(goodPets(file, checked))
    if (checked.rejected > 0) return checked
    const report = new ImportReport("import", "animals")
    report.kept = yield* pets.insertAll(goodPets(file, report).pipe(Stream.concat(failUnlessSame(file, checked, report))))
    return report
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
const failUnlessSame = (file: PetFile, first: ImportReport, second: ImportReport): Stream.Stream<never, UnreadableFile> =>
  Stream.suspend(() =>
    second.read === first.read && second.rejected === 0
      ? Stream.empty
      : Stream.fail(new UnreadableFile({ reason: `${file.path} was changed while it was read.` })),
  )

/** The good rows of a file in batches. */
const goodPets = (file: PetFile, report: ImportReport): Stream.Stream<ReadonlyArray<NewPet>, UnreadableFile> =>
  readBatches(file, report).pipe(
    Stream.map((rows) => rows.map((row) => report.take(row)).filter((pet) => pet !== undefined)),
    Stream.filter((good) => good.length > 0),
  )
