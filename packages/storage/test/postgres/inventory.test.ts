/** Tests the inventory of a PostgreSQL store that an older release created, or that SQL changed without counting. */
import { expect, it } from "vitest"
import { inventory, recount, three, threePets } from "../inventory.js"
import { openStore, sql, withStore } from "../postgres-store.js"

it("a migration includes existing pets in the new inventory", () =>
  withStore(async (store, url) => {
    await store.run(threePets)
    await sql(
      url,
      "DROP TABLE inventory, inventory_slots, petstore_processes, categories; UPDATE petstore_schema SET version = 2",
    )
    const newer = await openStore(url)
    try {
      expect(await newer.run(inventory)).toStrictEqual(three)
    } finally {
      await newer.close()
    }
  }))

it("a recount includes pets that an older release did not count, and later writes update the result", () =>
  withStore(async (store, url) => {
    await store.run(threePets)
    await sql(url, "INSERT INTO pets (name, category_id, status) VALUES ('Tom', 1, 'available')")
    const four = { ...three, available: 1, total: 4 }
    expect(await store.run(recount)).toStrictEqual({ kept: three, counted: four })
    await store.run(threePets)
    expect(await store.run(inventory)).toStrictEqual({ available: 1, pending: 0, sold: 4, withoutStatus: 2, total: 7 })
  }))

it("the inventory includes the counts that older releases write to the older table, even after a recount", () =>
  withStore(async (_, url) => {
    await sql(url, "DROP TABLE inventory_slots, petstore_processes, categories; UPDATE petstore_schema SET version = 4")
    const newer = await openStore(url)
    try {
      await newer.run(threePets)
      const older = `INSERT INTO pets (name, category_id, status) VALUES ('Tom', 1, 'sold');
        UPDATE inventory SET pets = pets + 1 WHERE slot = 7 AND status = 'sold'`
      await sql(url, older)
      const four = { ...three, sold: 3, total: 4 }
      expect(await newer.run(inventory)).toStrictEqual(four)
      expect(await newer.run(recount)).toStrictEqual({ kept: four, counted: four })
      await sql(url, older)
      expect(await newer.run(inventory)).toStrictEqual({ ...four, sold: 4, total: 5 })
    } finally {
      await newer.close()
    }
  }))
