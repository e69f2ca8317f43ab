/** The inventory in SQLite. Triggers of the schema keep it, so whatever program writes pets is counted. */
import { type Inventory, InventoryRepository, inventoryOf, type PetStatus, petStatuses } from "@petstore/core"
import type { Database } from "./engine/database.js"
import { rollBack } from "./engine/roll-back.js"

export const sqliteInventoryRepository = ({ connection, prepare, run }: Database) => {
  const selectKept = prepare(
    `SELECT nullif(status, ''), pets FROM inventory WHERE status IN ('', ${petStatuses.map((status) => `'${status}'`).join()})`,
  )
  const selectCounted = prepare("SELECT status, count(*) FROM pets GROUP BY status")
  const keep = connection.prepare(
    "UPDATE inventory SET pets = (SELECT count(*) FROM pets WHERE coalesce(pets.status, '') = inventory.status)",
  )
  const read = (): Inventory => inventoryOf(selectKept.all().map(countOfRow))

  return InventoryRepository.of({
    read: run(read),

    recount: run(() => {
      connection.exec("BEGIN IMMEDIATE")
      try {
        const kept = read()
        const counted = inventoryOf(selectCounted.all().map(countOfRow))
        keep.run()
        connection.exec("COMMIT")
        return { kept, counted }
      } catch (thrown) {
        rollBack(connection)
        throw thrown
      }
    }),
  })
}

/** Safe: the statements list a status or NULL and a count, as arrays with exact integers, of STRICT tables. */
const countOfRow = (row: unknown): readonly [PetStatus | null, number] => {
  const [status, pets] = row as [PetStatus | null, bigint]
  return [status, Number(pets)]
}
