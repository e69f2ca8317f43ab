import { replaceCategory, StorageUnavailable } from "@petstore/core"
import { Effect } from "effect"
import { readCategoryRows } from "./files/category-file.js"
import { rejectedCsv } from "./files/rejected-rows.js"
import { countKept, explain, type ImportOptions, importFileOf, keepRows, runImport } from "./import-file.js"
import { CommandFailed, WrongUsage } from "./program.js"
import type { OpenStore } from "./store.js"

export const importCategories = (open: OpenStore, path: string, options: ImportOptions) =>
  runImport(path, options, "categories", (report) =>
    Effect.gen(function* () {
      if (options.format === "ndjson" || options.delimiter !== undefined || options.columns !== undefined) {
        return yield* new WrongUsage({ reason: "Categories are read as CSV with the columns id and name." })
      }
      if (options.allOrNothing || options.dryRun) {
        return yield* new WrongUsage({ reason: `${options.dryRun ? "--dry-run" : "--all-or-nothing"} is for animals.` })
      }
      const file = yield* importFileOf(path, options, report, rejectedCsv(), readCategoryRows)
      yield* open(function* () {
        yield* keepRows(
          file,
          report,
          (category) => replaceCategory(category.id, category),
          (failure) => {
            const reason = failure instanceof StorageUnavailable ? explain(failure) : failure.message
            return new CommandFailed({ reason: `${reason} ${countKept(report)}.` })
          },
        )
      })
    }),
  )
