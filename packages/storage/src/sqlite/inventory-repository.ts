/** The inventory in SQLite. The store and triggers in its schema keep the counts up to date, so writes by any program count. */
import { type Inventory, InventoryRepository, petStatuses } from "@petstore/core"
import { inventoryOfRows } from "../rows.js"
import type { Database } from "./engine/database.js"

/** Sets the counts to those of the pets. */
export const countPets =
  "UPDATE inventory SET pets = (SELECT count(*) FROM pets WHERE coalesce(pets.status, '') = inventory.status)"

export const sqliteInventoryRepository = ({ connection, prepare, run, transact }: Database) => {
  const known = ["", ...petStatuses].map((status) => `'${status}'`).join()
  const selectKept = prepare(`SELECT nullif(status, ''), pets FROM inventory WHERE status IN (${known})`)
  const selectCounted = prepare("SELECT status, count(*) FROM pets GROUP BY status")
  const keep = connection.prepare(countPets)
  const read = (): Inventory => inventoryOfRows(selectKept.all())

  return InventoryRepository.of({
    read: run(read),

    recount: transact(() => {
      const kept = read()
      const counted = inventoryOfRows(selectCounted.all())
      keep.run()
      return { kept, counted }
    }),
  })
}
