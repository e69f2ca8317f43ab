/** The input file of an import: reads its rows in batches, counts them, and reports the bad ones. */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs"
import { pipeline, Readable } from "node:stream"
import { setTimeout as sleep } from "node:timers/promises"
import { createGunzip } from "node:zlib"
import { type Actor, StorageUnavailable } from "@petstore/core"
import {
  type FileDescription,
  type FileFormat,
  FileRefused,
  type Layout,
  type Row,
  type RowDecoder,
  rowReader,
  shown,
  visible,
} from "@petstore/pet-files"
import { Effect, Stream } from "effect"
import { readConfig } from "../config.js"
import { type DryRun, dryRunText } from "./dry-run-text.js"
import { rejectedCsv, rejectedNdjson } from "./files/rejected-rows.js"
import { targetOf, tryWriting, writeWholeFile } from "./files/target.js"
import type { KeyedCounts } from "./keyed-counts.js"
import { counted, type OutputOptions, print } from "./output.js"
import { CommandFailed, type Failure, textOf, WrongUsage } from "./program.js"
import { type Progress, progressOf } from "./progress.js"

/** Who makes the changes of an import. */
export const byImport: Actor = { command: "import" }

/** The maximum number of rows per transaction: few enough that a running service can write in between. */
export const batchMaximum = 8_000

/**
 * The number of bytes per read. The rows of a larger chunk outgrow V8's new generation: reading them takes twice as long. Reads are
 * synchronous, because the process has nothing else to do.
 */
const chunkBytes = 65_536

const standardInput = "-"

/** How many reasons for rejections an import reports, each with its first line and the number of its rows. */
const shownReasons = 100

/** How many lines a reason is reported for. */
const shownLines = 5

/** How old an unfinished last line must be, in ms. A younger file may still be being copied. */
const settledMillis = 1_000

export interface ImportFile {
  readonly path: string
  readonly format: FileFormat
  readonly description: FileDescription
  /** Size in bytes, for a regular file, which can be read twice. */
  readonly size: number | undefined
}

export interface ImportOptions extends OutputOptions, FileDescription {
  readonly format?: FileFormat
  readonly update?: true
  readonly rejected?: string
  /** Whether the file for rejected rows may be replaced. */
  readonly replace?: true
  readonly allOrNothing?: true
  readonly dryRun?: true
  /** The column whose values name rows in another system, and the file that keeps which pet each became. */
  readonly key?: string
  readonly ids?: string
  /** The last line that is left out, because an earlier import kept it. */
  readonly afterLine?: number
}

const namesOfRow = { animals: "animal", categories: "category name" }

interface Rejection {
  /** The first line with this reason. */
  readonly line: number
  readonly reason: string
  count: number
}

/** Counts the rows of a file, and shows the progress on standard error. */
export class ImportReport {
  /** Rows that were read, good and bad. */
  read = 0
  rejected = 0
  /** Rows that the store has committed. */
  kept = 0
  /** The first line of the last row that was kept or rejected. */
  lastLine = 0
  /** The first different reasons. */
  readonly rejections: Array<Rejection> = []
  readonly progress: Progress
  /** The noun for one row. */
  readonly row: string
  /** Encodes rejected rows, if a file for them was given. */
  encodeRejected: ((row: Row<unknown>, reason: string) => string) | undefined
  /** Moves `rejectedText` to the file for rejected rows, if there is one. */
  writeRejected: Effect.Effect<void, CommandFailed> = Effect.void
  /** The rejected rows that are not in their file yet. */
  rejectedText = ""
  /** The names of the categories that were created. */
  categories: ReadonlyArray<string> = []
  /** With --key: what the rows were. */
  keyed: KeyedCounts | undefined
  /** What a dry run found. */
  dryRun: DryRun | undefined
  /** The layout of a CSV file, once it is known. */
  layout: () => Layout | undefined = () => undefined
  readonly #byReason = new Map<string, Rejection>()
  #unlisted = 0

  /** @param activity  what happens to the rows, as the progress display names it */
  constructor(activity: string, rows: keyof typeof namesOfRow) {
    this.progress = progressOf(activity, rows)
    this.row = namesOfRow[rows]
  }

  /** Counts a row and reports it if it is bad. Returns the value of a good row. */
  take<A>(row: Row<A>): A | undefined {
    this.read += 1
    if (row.problem !== undefined) this.reject(row, row.problem)
    return row.value
  }

  /** Counts rows, and reports the bad ones. Returns the good ones. */
  takeAll<A>(rows: Iterable<Row<A>>): ReadonlyArray<{ readonly row: Row<A>; readonly value: A }> {
    return [...rows].flatMap((row) => {
      const value = this.take(row)
      return value === undefined ? [] : [{ row, value }]
    })
  }

  reject(row: Row<unknown>, reason: string): void {
    this.rejected += 1
    this.rejectedText += this.encodeRejected?.(row, reason) ?? ""
    const known = this.#byReason.get(reason)
    if (known !== undefined) {
      known.count += 1
      if (known.count > shownLines) return
    } else if (this.rejections.length < shownReasons) {
      const rejection = { line: row.line, reason, count: 1 }
      this.rejections.push(rejection)
      this.#byReason.set(reason, rejection)
    } else {
      this.#unlisted += 1
      return
    }
    this.progress.say(`line ${row.line}: ${visible(reason)}`)
  }

  /** Call this after the last row has been kept or rejected. */
  end(): void {
    this.progress.end()
    for (const { count, reason } of this.rejections) {
      if (count > shownLines) this.progress.say(`${counted(count - shownLines, "more row")}: ${visible(reason)}`)
    }
    if (this.#unlisted > 0) this.progress.say(`${counted(this.#unlisted, "more row")} with other reasons.`)
  }
}

/** Whether the operator asked the command to stop. The next batch is not read. */
let isInterrupted = false

export const stopOnSignals = (): void => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      isInterrupted = true
    })
  }
}

/** A file's rows in batches. Each batch is read only after the previous one has been used. */
export const readBatches = <A>(
  file: ImportFile,
  report: ImportReport,
  decoder: RowDecoder<A>,
  options: Pick<ImportOptions, "afterLine" | "rejected"> = {},
): Stream.Stream<ReadonlyArray<Row<A>>, CommandFailed | FileRefused> =>
  Stream.fromAsyncIterable(batchesOf(file, report, decoder, options), failureOf).pipe(
    Stream.ensuring(Effect.sync(() => report.end())),
  )

async function* batchesOf<A>(
  file: ImportFile,
  report: ImportReport,
  decoder: RowDecoder<A>,
  { afterLine = 0, rejected }: Pick<ImportOptions, "afterLine" | "rejected">,
) {
  const { path, size, format, description } = file
  const descriptor = path === standardInput ? 0 : openSync(path, "r")
  try {
    const before = fstatSync(descriptor)
    const reader = rowReader(format, description, decoder)
    report.layout = reader.layout
    if (rejected !== undefined) {
      const rows = format === "csv" ? rejectedCsv() : rejectedNdjson()
      report.encodeRejected = ({ source }, reason) => rows.encode(source, reason, reader.layout())
    }
    let bytesRead = 0
    let waiting: Array<Row<A>> = []
    // Rows of standard input do not wait for others, because what follows may be broken.
    const fullLength = size === undefined ? 1 : batchMaximum
    const batches = function* (rows: ReadonlyArray<Row<A>>, minimum: number) {
      for (const row of rows) {
        // Without its source, a waiting row takes half of the memory, of which V8 copies what it does not collect.
        if (row.line > afterLine) waiting.push(rejected === undefined ? { ...row, source: "" } : row)
      }
      for (; waiting.length >= minimum; waiting = waiting.slice(batchMaximum)) {
        if (isInterrupted) throw new CommandFailed({ reason: "The import was interrupted." })
        yield waiting.slice(0, batchMaximum)
      }
      report.progress.show(report.read, size === undefined ? undefined : Math.min(1, bytesRead / size))
    }
    for await (const chunk of chunksOf(descriptor, (bytes) => (bytesRead += bytes))) {
      yield* batches(reader.take(chunk), fullLength)
    }
    const last = reader.end()
    if (size !== undefined) {
      const age = Date.now() - before.mtimeMs
      if (reader.isCut() && age >= 0 && age < settledMillis) await sleep(settledMillis - age)
      const after = fstatSync(descriptor)
      if (after.size !== before.size || after.mtimeMs !== before.mtimeMs) {
        throw new CommandFailed({ reason: `${path} changed while it was being read: import it when it is complete.` })
      }
    }
    yield* batches(last, 1)
  } finally {
    if (descriptor > 0) closeSync(descriptor)
  }
}

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** A file's bytes, without compression. A chunk may be overwritten as soon as the next one is requested. */
async function* chunksOf(descriptor: number, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  const read = (): Buffer => {
    const length = readSync(descriptor, buffer)
    onRead(length)
    return buffer.subarray(0, length)
  }
  let chunk = read()
  if (isGzip(chunk)) {
    const source = Readable.from(
      (function* () {
        for (; chunk.length > 0; chunk = read()) yield Buffer.from(chunk)
      })(),
    )
    // An error reaches the loop too.
    yield* pipeline(source, createGunzip(), () => {})
    return
  }
  for (; chunk.length > 0; chunk = read()) yield chunk
}

/** Counts what an import would keep, and keeps nothing. */
export const survey = <A>(
  file: ImportFile,
  report: ImportReport,
  decoder: RowDecoder<A>,
  options: ImportOptions,
  take: (value: A) => void = () => {},
): Effect.Effect<void, CommandFailed> =>
  Stream.runForEach(readBatches(file, report, decoder, options), (rows) =>
    Effect.sync(() => {
      for (const { value } of report.takeAll(rows)) {
        report.kept += 1
        take(value)
      }
    }),
  ).pipe(Effect.mapError((failure) => new CommandFailed({ reason: explain(failure) })))

/** Reads a file to its end, if it can be read again: a broken file is refused before anything is kept. */
export const checkShape = <A>(file: ImportFile, decoder: RowDecoder<A>): Effect.Effect<void, CommandFailed> =>
  file.size === undefined
    ? Effect.void
    : Stream.runDrain(readBatches(file, new ImportReport("check", "animals"), decoder)).pipe(
        Effect.mapError((failure) => new CommandFailed({ reason: `${explain(failure)} Nothing was kept.` })),
      )

/** Keeps a file's good rows one after another. `refused` handles a row that the store did not keep. */
export const keepRows = <A, E, R>(
  file: ImportFile,
  report: ImportReport,
  decoder: RowDecoder<A>,
  options: ImportOptions,
  keep: (value: A) => Effect.Effect<unknown, E, R>,
  refused: (failure: E, row: Row<A>) => Effect.Effect<void, CommandFailed>,
): Effect.Effect<void, CommandFailed, R> => {
  const keepRow = (row: Row<A>): Effect.Effect<void, CommandFailed, R> => {
    const value = report.take(row)
    if (value === undefined) return Effect.void
    const count = () =>
      Effect.sync(() => {
        report.kept += 1
      })
    return Effect.matchEffect(keep(value), { onSuccess: count, onFailure: (failure) => refused(failure, row) })
  }
  return readBatches(file, report, decoder, options).pipe(
    Stream.mapError((failure) => new CommandFailed({ reason: `${explain(failure)} ${countKept(report)}.` })),
    Stream.runForEach((rows) => Effect.zipRight(Effect.forEach(rows, keepRow, { discard: true }), report.writeRejected)),
  )
}

/** Runs an import and prints its outcome. Fails if rows were rejected. With `--json`, prints one JSON value even if it fails. */
export const runImport = (
  path: string,
  options: ImportOptions,
  rows: keyof typeof namesOfRow,
  importAll: (report: ImportReport) => Effect.Effect<void, Failure>,
): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const report = new ImportReport(options.allOrNothing === true ? "check" : "import", rows)
    yield* Effect.tapError(withRejectedFile(path, options, report, importAll(report)), (failure) =>
      Effect.sync(() => options.json && print(options, { ...resultOf(options, report), error: textOf(failure) }, "")),
    )
    yield* sayResult(options, report)
  })

const withRejectedFile = (
  path: string,
  options: ImportOptions,
  report: ImportReport,
  importAll: Effect.Effect<void, Failure>,
): Effect.Effect<void, Failure> => {
  const file = options.rejected
  const replace = options.replace === true
  if (file === undefined) return importAll
  return Effect.gen(function* () {
    const { database } = yield* readConfig()
    const target = yield* targetOf(file, { database, replace })
    if (existsSync(path) && existsSync(target) && statSync(path).ino === statSync(target).ino) {
      return yield* new WrongUsage({ reason: `${file} is the file being imported: name another file for its rejected rows.` })
    }
    yield* writeWholeFile(target, { what: file, replace, isWanted: () => report.rejected > 0 }, (write) => {
      report.writeRejected = Effect.suspend(() => {
        const text = report.rejectedText
        report.rejectedText = ""
        return text === "" ? Effect.void : Effect.asVoid(tryWriting(file, () => write(text)))
      })
      return Effect.zipRight(importAll, report.writeRejected)
    })
  })
}

const resultOf = ({ dryRun, createCategories }: ImportOptions, report: ImportReport) => {
  const { read, kept, rejected, rejections, categories, keyed } = report
  if (dryRun) return { dryRun, read, wouldBeKept: kept, rejected, rejections, ...(keyed && { keyed }) }
  return { read, kept, rejected, rejections, ...(keyed && { keyed }), ...(createCategories && { categories }) }
}

const sayResult = (options: ImportOptions, report: ImportReport): Effect.Effect<void, CommandFailed> => {
  const { read, kept, rejected, categories, keyed, dryRun } = report
  const would = options.dryRun ? "would be " : ""
  const created = categories.length === 0 ? "" : ` Categories created: ${categories.map(shown).join(", ")}.`
  const kinds = keyed && ` (${keyed.new} new, ${keyed.changed} changed, ${keyed.unchanged} unchanged)`
  const text = `${counted(read, report.row)} read, ${kept} ${would}kept${kinds ?? ""}, ${rejected} rejected.${created}`
  print(options, { ...resultOf(options, report), ...dryRun }, dryRun === undefined ? text : dryRunText(dryRun, text))
  if (read === 0) return new CommandFailed({ reason: `The file has no ${namesOfKind(report)}.` })
  if (rejected === 0) return Effect.void
  const were = rejected === 1 ? "was" : "were"
  const end = options.dryRun ? ". This was a dry run" : `, and ${kept === 0 ? "nothing" : kept} ${kept > 1 ? "were" : "was"} kept`
  return new CommandFailed({ reason: `${rejected} of ${counted(read, "row")} ${were} rejected${end}.` })
}

const namesOfKind = ({ row }: ImportReport): string => (row === "category name" ? "categories" : `${row}s`)

/** How many rows were kept, as a sentence without its full stop. */
export const countKept = ({ kept, row }: ImportReport, what = row): string =>
  `${counted(kept, what)} ${kept === 1 ? "was" : "were"} kept`

export const explain = (failure: StorageUnavailable | CommandFailed | FileRefused): string => {
  if (failure instanceof StorageUnavailable) return `${textOf(failure)}.`
  return failure instanceof FileRefused ? failure.message : failure.reason
}

/** The file that the arguments name. */
export const importFileOf = (
  path: string,
  format: FileFormat,
  description: FileDescription,
): Effect.Effect<ImportFile, CommandFailed> =>
  Effect.try({
    try: () => {
      const stats = path === standardInput ? undefined : statSync(path)
      return { path, format, description, size: stats?.isFile() ? stats.size : undefined }
    },
    catch: failureOf,
  }).pipe(Effect.catchTag("FileRefused", ({ message }) => new CommandFailed({ reason: message })))

/** Turns a read error into a failure with the system's message. Any other exception is a defect. */
const failureOf = (thrown: unknown): CommandFailed | FileRefused => {
  if (thrown instanceof CommandFailed || thrown instanceof FileRefused) return thrown
  if (thrown instanceof Error && ("syscall" in thrown || ("code" in thrown && String(thrown.code).startsWith("Z_")))) {
    return new CommandFailed({ reason: `The file cannot be read: ${thrown.message}.` })
  }
  throw thrown
}
