import { PetRepository } from "@petstore/core"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { openStore, sql } from "../postgres-store.js"

it("a store inserts the pets that it received before it was closed", async () => {
  const url = await newPostgresDatabase()
  const store = await openStore(url)
  const insert = Effect.flatMap(PetRepository, (pets) => pets.insert({ name: "Bello", categoryId: 7n }))
  const kept = Promise.allSettled(Array.from({ length: 3 }, () => store.run(insert)))
  await store.close()
  expect((await kept).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"])
  expect(await sql(url, "SELECT id FROM pets")).toHaveLength(3)
})
