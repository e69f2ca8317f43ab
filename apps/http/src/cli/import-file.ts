/** The input file of an import: reads its rows in batches, counts them, and reports the bad ones. */
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs"
import { StorageUnavailable } from "@petstore/core"
import { Effect, Option, Stream } from "effect"
import { type InvalidConfig, readConfig } from "../config.js"
import type { CsvOptions, PetFileFormat } from "./files/pet-file.js"
import type { RejectedRows } from "./files/rejected-rows.js"
import type { ReadRows, Row } from "./files/rows.js"
import { targetOf, tryWriting, writeWholeFile } from "./files/target.js"
import { counted, type OutputOptions, print } from "./output.js"
import { CommandFailed, type Failure, textOf, WrongUsage } from "./program.js"
import { type Progress, progressOf } from "./progress.js"

/** The maximum number of rows per transaction: few enough that a running service can write in between. */
export const batchMaximum = 8_000

/** The number of bytes per read. Reads are synchronous, because the process has nothing else to do. */
const chunkBytes = 524_288

const standardInput = "-"

/** How many rejected rows an import reports one by one. Of any further rows, it reports only the number. */
const shownRejections = 100

export interface ImportFile<A> {
  readonly path: string
  /** Size in bytes, for a regular file. */
  readonly size: number | undefined
  /** Turns the bytes into rows. Throws `CommandFailed` if the header cannot be used. */
  readonly rowsOf: (chunks: Iterable<Buffer>) => Iterable<ReadonlyArray<Row<A>>>
}

export interface ImportOptions extends OutputOptions, CsvOptions {
  readonly format?: PetFileFormat
  readonly update?: true
  readonly rejected?: string
  /** Whether the file for rejected rows may be replaced. */
  readonly replace?: true
  readonly allOrNothing?: true
  readonly dryRun?: true
}

const namesOfRow = { animals: "animal", orders: "order", categories: "category name" }

/** Counts the rows of a file, and shows the progress on standard error. */
export class ImportReport {
  /** Rows that were read, good and bad. */
  read = 0
  rejected = 0
  /** Rows that the store has committed. */
  kept = 0
  /** The first rejected rows: the line on which each starts, and why. */
  readonly rejections: Array<{ readonly line: number; readonly reason: string }> = []
  readonly progress: Progress
  /** The noun for one row. */
  readonly row: string
  /** How rejected rows are encoded, if a file for them was given. */
  rejectedRows: RejectedRows | undefined
  /** Moves `rejectedText` to the file for rejected rows, if there is one. */
  writeRejected: Effect.Effect<void, CommandFailed> = Effect.void
  /** The rejected rows that are not in their file yet. */
  rejectedText = ""

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

  reject({ line, source }: Row<unknown>, reason: string): void {
    this.rejected += 1
    this.rejectedText += this.rejectedRows?.encode(source, reason) ?? ""
    if (this.rejected > shownRejections) return
    this.rejections.push({ line, reason })
    this.progress.say(`line ${line}: ${reason}`)
  }

  /** Call this after the last row has been kept or rejected. */
  end(): void {
    this.progress.end()
    const more = this.rejected - shownRejections
    if (more > 0) this.progress.say(`${counted(more, "more row")} ${more === 1 ? "was" : "were"} rejected.`)
  }
}

/** A file's rows in batches. Each batch is read only after the previous one has been used. */
export const readBatches = <A>(file: ImportFile<A>, report: ImportReport): Stream.Stream<ReadonlyArray<Row<A>>, CommandFailed> =>
  Stream.acquireRelease(
    tryFile(() => (file.path === standardInput ? 0 : openSync(file.path, "r"))),
    (descriptor) => Effect.sync(() => descriptor > 0 && closeSync(descriptor)),
  ).pipe(
    Stream.flatMap((descriptor) =>
      Stream.unfoldEffect(batchesOf(file, descriptor, report), (batches) =>
        tryFile(() => {
          const { done, value } = batches.next()
          return done === true ? Option.none() : Option.some([value, batches] as const)
        }),
      ),
    ),
    Stream.ensuring(Effect.sync(() => report.end())),
  )

function* batchesOf<A>({ size, rowsOf }: ImportFile<A>, descriptor: number, report: ImportReport) {
  let bytesRead = 0
  const chunks = function* () {
    const buffer = Buffer.allocUnsafe(chunkBytes)
    for (let length = readSync(descriptor, buffer); length > 0; length = readSync(descriptor, buffer)) {
      bytesRead += length
      yield buffer.subarray(0, length)
    }
  }
  for (const rows of rowsOf(chunks())) {
    for (let start = 0; start < rows.length; start += batchMaximum) yield rows.slice(start, start + batchMaximum)
    report.progress.show(report.read, size === undefined ? undefined : Math.min(1, bytesRead / size))
  }
}

/** Keeps a file's good rows one after another. `refused` handles a row that the store did not keep. */
export const keepRows = <A, E, R>(
  file: ImportFile<A>,
  report: ImportReport,
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
  return readBatches(file, report).pipe(
    Stream.mapError(({ reason }) => new CommandFailed({ reason: `${reason} ${countKept(report)}.` })),
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

const resultOf = ({ dryRun }: ImportOptions, { read, kept, rejected, rejections }: ImportReport) =>
  dryRun ? { dryRun, read, wouldBeKept: kept, rejected, rejections } : { read, kept, rejected, rejections }

const sayResult = (options: ImportOptions, report: ImportReport): Effect.Effect<void, CommandFailed> => {
  const { read, kept, rejected } = report
  const would = options.dryRun ? "would be " : ""
  print(options, resultOf(options, report), `${counted(read, report.row)} read, ${kept} ${would}kept, ${rejected} rejected.`)
  if (rejected === 0) return Effect.void
  const were = rejected === 1 ? "was" : "were"
  const end = options.dryRun ? ". This was a dry run" : `, and ${kept === 0 ? "nothing" : kept} ${kept > 1 ? "were" : "was"} kept`
  return new CommandFailed({ reason: `${rejected} of ${counted(read, "row")} ${were} rejected${end}.` })
}

/** How many rows were kept, as a sentence without its full stop. */
export const countKept = ({ kept, row }: ImportReport, what = row): string =>
  `${counted(kept, what)} ${kept === 1 ? "was" : "were"} kept`

export const explain = (failure: StorageUnavailable | CommandFailed): string =>
  failure instanceof StorageUnavailable ? `${textOf(failure)}.` : failure.reason

/** The file that the arguments name. `rejectedRows` encodes its rejected rows. */
export const importFileOf = <A>(
  path: string,
  { rejected }: ImportOptions,
  report: ImportReport,
  rejectedRows: RejectedRows,
  read: ReadRows<A>,
): Effect.Effect<ImportFile<A>, CommandFailed | InvalidConfig> =>
  Effect.gen(function* () {
    const stats = yield* tryFile(() => (path === standardInput ? undefined : statSync(path)))
    if (rejected !== undefined) report.rejectedRows = rejectedRows
    const { bodyLimitBytes } = yield* readConfig()
    const size = stats?.isFile() ? stats.size : undefined
    return { path, size, rowsOf: (chunks) => read(chunks, bodyLimitBytes, rejectedRows.header) }
  })

/** Turns a read error into a failure with the system's message. Any other exception is a defect. */
const tryFile = <A>(work: () => A): Effect.Effect<A, CommandFailed> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (thrown) {
      if (thrown instanceof CommandFailed) return thrown
      return thrown instanceof Error && "syscall" in thrown
        ? new CommandFailed({ reason: `The file cannot be read: ${thrown.message}.` })
        : Effect.die(thrown)
    }
  })
