/** `petstore import --orders`: applies the orders in a file to the store's pets. Experimental. */
import { type OrderClosing, OrderRepository, type OrderStatus, orderClosings, StorageUnavailable } from "@petstore/core"
import { toErrorObject } from "@petstore/core/contract"
import { DateTime, Effect } from "effect"
import { orderRows, type PastOrder } from "./files/order-file.js"
import { checkShape, countKept, explain, type ImportOptions, importFileOf, keepRows, runImport } from "./import-file.js"
import { CommandFailed, WrongUsage } from "./program.js"
import type { OpenStore } from "./store.js"

/** The orders are carried out one by one, because an order for a pet must be closed before the pet's next order is placed. */
export const importOrders = (open: OpenStore, path: string, options: ImportOptions) =>
  runImport(path, options, "orders", (report) =>
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
      const file = yield* importFileOf(path, options.format ?? "ndjson", options)
      yield* checkShape(file, orderRows)
      yield* open(function* () {
        yield* keepRows(file, report, orderRows, options, repeatOrder, (failure, row) => {
          if (failure instanceof StorageUnavailable) {
            const doubt = `line ${row.line} may have been carried out in part or in full`
            return new CommandFailed({ reason: `${explain(failure)} ${countKept(report)}; ${doubt}.` })
          }
          const { code, message } = toErrorObject(failure)
          return Effect.sync(() => report.reject(row, `${code}: ${message}`))
        })
      })
    }),
  )

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
