/** `petstore import --orders`: applies the orders in a file to the store's pets. Experimental. */
import { type OrderClosing, OrderRepository, type OrderStatus, orderClosings, StorageUnavailable } from "@petstore/core"
import { toErrorObject } from "@petstore/core/contract"
import { DateTime, Effect, Stream } from "effect"
import { type PastOrder, readOrderRows } from "./files/order-file.js"
import { rejectedNdjson } from "./files/rejected-rows.js"
import type { Row } from "./files/rows.js"
import type { ImportOptions } from "./import.js"
import {
  countKept,
  explain,
  type ImportFile,
  type ImportReport,
  readBatches,
  runImport,
  sizeOf,
  type WriteRejected,
} from "./import-file.js"
import { CommandFailed, WrongUsage } from "./program.js"
import type { OpenStore } from "./store.js"

export const importOrders = (open: OpenStore, path: string, options: ImportOptions) =>
  runImport(path, options, "orders", (report, writeRejected) =>
    Effect.gen(function* () {
      if (options.format === "csv" || options.delimiter !== undefined || options.columns !== undefined) {
        return yield* new WrongUsage({ reason: "Orders are read as NDJSON." })
      }
      const forPets = options.allOrNothing ? "--all-or-nothing" : options.dryRun ? "--dry-run" : undefined
      if (forPets !== undefined) {
        return yield* new WrongUsage({
          reason: `${forPets} is for animals: the store decides on each order when it is carried out.`,
        })
      }
      const size = yield* sizeOf(path)
      if (options.rejected !== undefined) report.rejectedRows = rejectedNdjson()
      yield* open(function* ({ bodyLimitBytes }) {
        yield* carryOut({ path, size, rowsOf: (chunks) => readOrderRows(chunks, bodyLimitBytes) }, report, writeRejected)
      })
    }),
  )

/** Carries out the rows one by one, because an order for a pet must be closed before the pet's next order is placed. */
const carryOut = (
  file: ImportFile<PastOrder>,
  report: ImportReport,
  writeRejected: WriteRejected,
): Effect.Effect<void, CommandFailed, OrderRepository> =>
  readBatches(file, report).pipe(
    Stream.mapError((failure) => new CommandFailed({ reason: `${explain(failure)} ${countKept(report.kept, "order")}.` })),
    Stream.runForEach((rows) =>
      Effect.zipRight(
        Effect.forEach(rows, (row) => carryOutRow(row, report), { discard: true }),
        writeRejected,
      ),
    ),
  )

/** Carries out a good row. If the store refuses the row, it is rejected like a bad row. */
const carryOutRow = (row: Row<PastOrder>, report: ImportReport): Effect.Effect<void, CommandFailed, OrderRepository> =>
  Effect.suspend(() => {
    const order = report.take(row)
    if (order === undefined) return Effect.void
    return Effect.matchEffect(repeatOrder(order), {
      onSuccess: () =>
        Effect.sync(() => {
          report.kept += 1
        }),
      onFailure: (failure) => {
        if (failure instanceof StorageUnavailable) {
          const line = `line ${row.line} may have been carried out in part or in full`
          return new CommandFailed({ reason: `${explain(failure)} ${countKept(report.kept, "order")}; ${line}.` })
        }
        const { code, message } = toErrorObject(failure)
        return Effect.sync(() => report.reject(row, `${code}: ${message}`))
      },
    })
  })

/** How an order can end, by the resulting status. */
const closingTo: ReadonlyMap<OrderStatus, OrderClosing> = new Map([
  [orderClosings.complete.status, "complete"],
  [orderClosings.cancel.status, "cancel"],
])

/** Places a past order, and closes it if the file says so, under the usual rules but with the file's timestamps. */
const repeatOrder = ({ petId, status, timestamps }: PastOrder) =>
  Effect.gen(function* () {
    const orders = yield* OrderRepository
    const now = yield* DateTime.nowAsDate
    const { createdAt, updatedAt } = timestamps ?? { createdAt: now, updatedAt: now }
    const { id } = yield* orders.insert(petId, createdAt)
    const closing = closingTo.get(status)
    if (closing !== undefined) yield* orders.close(id, closing, updatedAt)
  })
