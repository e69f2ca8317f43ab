import { DatabaseSync } from "node:sqlite"
import { openWorkplace } from "@petstore/harness/testing"
import { expect, it } from "vitest"
import { makeCatalogue } from "../src/catalogue.ts"

it.each([0, 3])("makeCatalogue creates a catalogue of %i pets, all with their words", async (animals) => {
  const path = openWorkplace().path("store.db")
  await makeCatalogue(path, animals)
  const database = new DatabaseSync(path)
  expect(database.prepare("SELECT count(*) AS names FROM pet_words").get()).toEqual({ names: animals })
  database.close()
})
