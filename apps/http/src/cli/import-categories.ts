import { replaceCategory } from "@petstore/core"
import { Effect } from "effect"
import { categoryRows } from "./files/category-file.js"
import {
  byImport,
  checkShape,
  countKept,
  explain,
  type ImportOptions,
  importFileOf,
  keepRows,
  runImport,
  survey,
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
      if (options.dryRun) return yield* survey(file, report, categoryRows, {})
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
