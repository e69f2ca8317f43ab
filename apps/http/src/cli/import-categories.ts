import { replaceCategory } from "@petstore/core"
import { Effect, Stream } from "effect"
import { categoryRows } from "./files/category-file.js"
import {
  byImport,
  checkShape,
  countKept,
  explain,
  type ImportFile,
  type ImportOptions,
  type ImportReport,
  importFileOf,
  keepRows,
  readBatches,
  runImport,
} from "./import-file.js"
import { CommandFailed, WrongUsage } from "./program.js"
import type { OpenStore } from "./store.js"

export const importCategories = (open: OpenStore, path: string, options: ImportOptions) =>
  runImport(path, options, "categories", (report) =>
    Effect.gen(function* () {
      if ((options.format ?? "csv") !== "csv" || options.columns !== undefined) {
        return yield* new WrongUsage({ reason: "Categories are read as CSV with the columns id and name." })
      }
      if (options.allOrNothing) return yield* new WrongUsage({ reason: "--all-or-nothing is for animals." })
      const file = yield* importFileOf(path, "csv", options)
      if (options.dryRun) return yield* checkRows(file, report)
      yield* checkShape(file, categoryRows)
      yield* open(function* () {
        yield* keepRows(
          file,
          report,
          categoryRows,
          options,
          (category) => replaceCategory(category.id, category, undefined, byImport),
          (failure) => {
            const reason = failure._tag === "StorageUnavailable" ? explain(failure) : failure.message
            return new CommandFailed({ reason: `${reason} ${countKept(report)}.` })
          },
        )
      })
    }),
  )

const checkRows = (file: ImportFile, report: ImportReport) =>
  readBatches(file, report, categoryRows).pipe(
    Stream.mapError((failure) => new CommandFailed({ reason: explain(failure) })),
    Stream.runForEach((rows) =>
      Effect.sync(() => {
        report.kept += rows.filter((row) => report.take(row) !== undefined).length
      }),
    ),
  )
