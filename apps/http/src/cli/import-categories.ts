import {
  type CategoryNotFound,
  type InvalidBody,
  type PreconditionFailed,
  replaceCategory,
  StorageUnavailable,
} from "@petstore/core"
import { Effect, Stream } from "effect"
import { readCategoryRows } from "./files/category-file.js"
import { rejectedCsv } from "./files/rejected-rows.js"
import type { ImportOptions } from "./import.js"
import { countKept, explain, readBatches, runImport, sizeOf } from "./import-file.js"
import { CommandFailed, WrongUsage } from "./program.js"
import type { OpenStore } from "./store.js"

const failed = (kept: number) => (failure: StorageUnavailable | CategoryNotFound | InvalidBody | PreconditionFailed) => {
  const reason = failure instanceof StorageUnavailable ? explain(failure) : failure.message
  return new CommandFailed({ reason: `${reason} ${countKept(kept, "category name")}.` })
}

export const importCategories = (open: OpenStore, path: string, options: ImportOptions) =>
  runImport(path, options, "categories", (report, writeRejected) =>
    Effect.gen(function* () {
      if (options.format === "ndjson" || options.delimiter !== undefined || options.columns !== undefined) {
        return yield* new WrongUsage({ reason: "Categories are read as CSV with the columns id and name." })
      }
      if (options.allOrNothing || options.dryRun) {
        return yield* new WrongUsage({ reason: `${options.dryRun ? "--dry-run" : "--all-or-nothing"} is for animals.` })
      }
      const size = yield* sizeOf(path)
      const rejectedRows = rejectedCsv(undefined)
      if (options.rejected !== undefined) report.rejectedRows = rejectedRows
      yield* open(function* ({ bodyLimitBytes }) {
        yield* readBatches(
          { path, size, rowsOf: (chunks) => readCategoryRows(chunks, bodyLimitBytes, rejectedRows.header) },
          report,
        ).pipe(
          Stream.mapError(
            (failure) => new CommandFailed({ reason: `${explain(failure)} ${countKept(report.kept, "category name")}.` }),
          ),
          Stream.runForEach((rows) =>
            Effect.forEach(
              rows,
              (row) => {
                const category = report.take(row)
                return category === undefined
                  ? Effect.void
                  : Effect.map(Effect.mapError(replaceCategory(category.id, category), failed(report.kept)), () => {
                      report.kept += 1
                    })
              },
              { discard: true },
            ).pipe(Effect.zipRight(writeRejected)),
          ),
        )
      })
    }),
  )
