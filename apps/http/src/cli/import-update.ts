/** `petstore import --update`: corrects existing pets under the rules of `PATCH /pets/{petId}`. Experimental. */
import { PetNotFound, PetRepository, PetReserved } from "@petstore/core"
import { Effect, Stream } from "effect"
import { type PetUpdate, readUpdateRows } from "./files/pet-file.js"
import { checkRows, goodRows, petFileOf } from "./import.js"
import {
  batchMaximum,
  countKept,
  explain,
  type ImportFile,
  type ImportOptions,
  type ImportReport,
  readBatches,
  runImport,
} from "./import-file.js"
import { CommandFailed, WrongUsage } from "./program.js"
import type { OpenStore } from "./store.js"

export const importUpdates = (open: OpenStore, path: string, options: ImportOptions) =>
  runImport(path, options, "animals", (report) =>
    Effect.gen(function* () {
      if (options.allOrNothing) {
        return yield* new WrongUsage({ reason: "--all-or-nothing is for new animals: the store decides on each correction." })
      }
      const file = yield* petFileOf(path, options, report, readUpdateRows)
      if (options.dryRun === true) return yield* checkRows(goodRows(file, report), report, false)
      yield* open(function* () {
        yield* correctRows(file, report)
      })
    }),
  )

/** Corrects the good rows of a batch in one transaction. If the store refuses a row, the row is rejected like a bad row. */
const correctRows = (file: ImportFile<PetUpdate>, report: ImportReport): Effect.Effect<void, CommandFailed, PetRepository> =>
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
