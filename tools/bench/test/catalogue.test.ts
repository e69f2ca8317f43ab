import { DatabaseSync } from "node:sqlite"
import { openWorkplace } from "@petstore/harness/testing"
import { expect, it } from "vitest"
import { makeCatalogue } from "../src/catalogue.ts"

it.each([0, 3])("makeCatalogue creates a catalogue of %i pets, all in the search index", async (animals) => {
  const path = openWorkplace().path("store.db")
  await makeCatalogue(path, animals)
  const database = new DatabaseSync(path)
  const waiting = database.prepare("SELECT count(*) AS pets FROM pets WHERE id > (SELECT indexed_to FROM search_index)")
  expect(waiting.get()).toEqual({ pets: 0 })
  expect(database.prepare("SELECT count(*) AS names FROM pets_by_name").get()).toEqual({ names: animals })
  database.close()
})
