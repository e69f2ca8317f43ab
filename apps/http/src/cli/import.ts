/** `petstore import`: adds pets as `POST /pets` does or, with `--update` (experimental), corrects pets as `PATCH` does. */
import { extname } from "node:path"
import { setFlagsFromString } from "node:v8"
import { PetNotFound, PetRepository, PetReserved, type ValidNewPet } from "@petstore/core"
import {
  type CategoryNames,
  type FileDescription,
  type FileFormat,
  type FileRefused,
  newPetRows,
  noWords,
  type PetUpdate,
  type RowDecoder,
  updateRows,
  wordsOfRows,
} from "@petstore/pet-files"
import { Effect, Stream } from "effect"
import { createMissing, readCategories } from "./import-category-words.js"
import { refuseDoubles } from "./import-doubles.js"
import { dryRunOf } from "./import-dry-run.js"
import {
  batchMaximum,
  byImport,
  countKept,
  explain,
  type ImportFile,
  type ImportOptions,
  ImportReport,
  importFileOf,
  readBatches,
  runImport,
  stopOnSignals,
} from "./import-file.js"
import { importKeyed, keyedRows } from "./import-keyed.js"
import { keepLineEnds } from "./import-line-ends.js"
import { checkKeyColumn, refusal, requiredOf } from "./import-proposal.js"
import { checkNewPet, checkUpdate } from "./pet-checks.js"
import { CommandFailed, WrongUsage } from "./program.js"
import type { OpenStore } from "./store.js"

const formatsByExtension: Readonly<Record<string, FileFormat>> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "json",
  ".csv": "csv",
  ".tsv": "csv",
  ".txt": "csv",
}

/** The format that the options name or, by default, the format that the file's name ends in. */
const formatOf = (file: string, given: FileFormat | undefined): Effect.Effect<FileFormat, WrongUsage> => {
  const format = given ?? formatsByExtension[extname(file.replace(/\.gz$/i, "")).toLowerCase()]
  if (format !== undefined) return Effect.succeed(format)
  return new WrongUsage({ reason: `${file} does not end in .csv, .tsv, .txt, .json, .ndjson or .jsonl: pass --format.` })
}

export const importPets = (open: OpenStore, path: string, options: ImportOptions) => {
  // Garbage from the running effect keeps finished batches reachable, so they reach V8's old generation. By default, V8
  // lets the old generation grow fourfold before it collects the garbage. With this flag, the old generation may only double.
  setFlagsFromString("--heap-growing-percent=100")
  return importPetFile(open, path, options, newPets, options.allOrNothing ? importAllOrNothing : importGoodRows)
}

export const importUpdates = (open: OpenStore, path: string, options: ImportOptions) =>
  importPetFile(open, path, options, updates, correctRows)

type DecoderOf<A> = (description: FileDescription, categories: CategoryNames) => RowDecoder<A>

const newPets: DecoderOf<ValidNewPet> = (description, categories) => newPetRows(description, categories, checkNewPet)

const updates: DecoderOf<PetUpdate> = (description, categories) => updateRows(description, categories, checkUpdate)

/** Everything that keeping the rows of a file needs. */
interface Import<A> {
  readonly file: ImportFile
  readonly report: ImportReport
  readonly decoder: RowDecoder<A>
  readonly options: ImportOptions
}

/** Checks the arguments and reads the file once, if it can be read again. Then opens the store and keeps the rows. */
const importPetFile = <A>(
  open: OpenStore,
  path: string,
  options: ImportOptions,
  decoderOf: DecoderOf<A>,
  keep: (given: Import<A>) => Effect.Effect<void, CommandFailed | WrongUsage, PetRepository>,
) =>
  runImport(path, options, "animals", (report) =>
    Effect.gen(function* () {
      const { columns, update, allOrNothing = false, dryRun, createCategories, key, ids } = options
      const refuse = (reason: string) => new WrongUsage({ reason })
      if (update && allOrNothing) {
        return yield* refuse("--all-or-nothing is for new animals: the store decides on each correction.")
      }
      if ((key === undefined) !== (ids === undefined)) return yield* refuse("--key and --ids go together.")
      if (key !== undefined && (update || allOrNothing))
        return yield* refuse("--key adds and corrects animals: leave out --update and --all-or-nothing.")
      if (columns?.id !== undefined && !update) {
        return yield* refuse("--columns id is for --update: the store assigns the identifiers of new animals.")
      }
      const format = yield* formatOf(path, options.format)
      if (format !== "csv" && (options.delimiter !== undefined || options.header === false)) {
        return yield* refuse(`--${options.delimiter === undefined ? "no-header" : "delimiter"} is for CSV; ${path} is JSON.`)
      }
      const file = yield* importFileOf(path, format, options)
      if (file.size === undefined && (allOrNothing || createCategories)) {
        const option = allOrNothing ? "--all-or-nothing" : "--create-categories"
        return yield* refuse(`${option} reads a file twice, but ${path} can be read only once.`)
      }
      if (dryRun) return yield* dryRunOf(file, report, options)
      stopOnSignals()
      const words = noWords()
      if (file.size !== undefined) {
        const survey = new ImportReport("check", "animals")
        yield* Stream.runDrain(
          readBatches(file, survey, wordsOfRows(options, requiredOf(options), words, !createCategories)),
        ).pipe(Effect.catchAll((failure) => refusal(file, options, failure)))
        yield* checkKeyColumn(file, survey.layout(), options)
      }
      yield* open(function* () {
        yield* refuseDoubles(file, options, words)
        if (createCategories) report.categories = yield* createMissing(words.categories.keys())
        const categories = yield* readCategories
        if (key !== undefined && ids !== undefined) {
          return yield* importKeyed(file, report, keyedRows(newPets(options, categories), key), options, ids)
        }
        const decoder = decoderOf(options, categories)
        yield* keep({ file, report, decoder, options })
      })
    }),
  )

/** Stores every good row, even if later rows are bad. */
const importGoodRows = ({ file, report, decoder, options }: Import<ValidNewPet>) =>
  Effect.flatMap(PetRepository, ({ insertAll }) =>
    Stream.runForEach(goodRows(file, report, decoder, options), ({ good, lastLine }) =>
      Effect.map(good.length === 0 ? Effect.succeed(0) : insertAll(Stream.make(good), byImport), (kept) => {
        report.kept += kept
        report.lastLine = lastLine
      }),
    ),
  ).pipe(Effect.mapError((failure) => new CommandFailed({ reason: `${explain(failure)} ${resumption(report, failure)}` })))

/** How many rows were kept, and how to go on. */
const resumption = (report: ImportReport, failure: { readonly _tag: string }): string => {
  const doubt = failure._tag === "StorageUnavailable" ? `; up to ${batchMaximum} more may have been: look before you go on` : ""
  if (report.kept === 0 && doubt === "") return "Nothing was kept."
  return `${countKept(report)}, up to line ${report.lastLine}${doubt}. To go on: --after-line ${report.lastLine}`
}

/** Stores all rows in one transaction, if every row is good. The file is read again for it. */
const importAllOrNothing = ({ file, report, decoder, options }: Import<ValidNewPet>) =>
  Effect.gen(function* () {
    const { insertAll } = yield* PetRepository
    yield* Stream.runDrain(goodRows(file, report, decoder, options))
    if (report.rejected > 0) return
    const second = new ImportReport("import", "animals")
    const again = Stream.map(goodRows(file, second, decoder, { afterLine: options.afterLine ?? 0 }), ({ good }) => good)
    const failUnlessSame = Stream.suspend(() =>
      second.read === report.read && second.rejected === 0
        ? Stream.empty
        : Stream.fail(new CommandFailed({ reason: `${file.path} changed while it was being read.` })),
    )
    report.kept = yield* insertAll(Stream.concat(again, failUnlessSame), byImport)
  }).pipe(
    Effect.mapError((failure) => {
      const kept = failure._tag === "StorageUnavailable" ? "All rows were kept, or none." : "Nothing was kept."
      return new CommandFailed({ reason: `${explain(failure)} ${kept}` })
    }),
  )

/** The good rows of each batch, and the line on which its last row starts. */
const goodRows = <A>(
  file: ImportFile,
  report: ImportReport,
  decoder: RowDecoder<A>,
  options: ImportOptions,
): Stream.Stream<{ readonly good: ReadonlyArray<A>; readonly lastLine: number }, CommandFailed | FileRefused> =>
  readBatches(file, report, decoder, options).pipe(
    Stream.mapEffect((rows) => {
      const good = rows.map((row) => report.take(row)).filter((value) => value !== undefined)
      return Effect.as(report.writeRejected, { good, lastLine: rows.at(-1)?.line ?? report.lastLine })
    }),
  )

/** Corrects the good rows of a batch in one transaction. If the store refuses a row, the row is rejected like a bad row. */
const correctRows = ({ file, report, decoder, options }: Import<PetUpdate>) =>
  Effect.flatMap(PetRepository, (pets) =>
    Stream.runForEach(readBatches(file, report, decoder, options), (rows) => {
      const good = report.takeAll(rows)
      const given = good.map(({ value }) => value)
      return Effect.map(
        Effect.flatMap(options.forSpreadsheet ? keepLineEnds(given) : Effect.succeed(given), (updates) =>
          pets.correctAll(updates, byImport),
        ),
        (outcomes) => {
          for (const [index, { row, value }] of good.entries()) {
            const [petId] = value
            const outcome = outcomes[index]
            if (outcome === "done") report.kept += 1
            else report.reject(row, (outcome === "reserved" ? new PetReserved({ petId }) : new PetNotFound({ petId })).message)
          }
          report.lastLine = rows.at(-1)?.line ?? report.lastLine
        },
      ).pipe(Effect.zipRight(report.writeRejected))
    }),
  ).pipe(Effect.mapError((failure) => new CommandFailed({ reason: `${explain(failure)} ${resumption(report, failure)}` })))
