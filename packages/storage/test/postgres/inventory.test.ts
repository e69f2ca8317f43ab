/** Tests the inventory of a PostgreSQL store that SQL changed without counting. */
import { expect, it } from "vitest"
import { inventory, recount, three, threePets } from "../inventory.js"
import { sql, withStore } from "../postgres-store.js"

it("a recount includes pets that manual SQL did not count, and later writes update the result", () =>
  withStore(async (store, url) => {
    await store.run(threePets)
    await sql(url, "INSERT INTO pets (name, category_id, status) VALUES ('Tom', 1, 'available')")
    const four = { ...three, available: 1, total: 4 }
    expect(await store.run(recount)).toStrictEqual({ kept: three, counted: four })
    await store.run(threePets)
    expect(await store.run(inventory)).toStrictEqual({ available: 1, pending: 0, sold: 4, withoutStatus: 2, total: 7 })
  }))
