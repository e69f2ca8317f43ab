/** Imports in a folder of their own, and what they left in the store. */
import { existsSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { openWorkplace } from "@petstore/harness/testing"

export type Workplace = ReturnType<typeof openWorkplace>

/** Columns of the store's pets, read without our code. */
const columnsOf = ({ path }: Workplace, columns: string, table = "pets ORDER BY id") => {
  const store = new DatabaseSync(path("store.db"), { readOnly: true })
  try {
    const rows = store.prepare(`SELECT ${columns} FROM ${table}`)
    rows.setReadBigInts(true)
    return rows.all().map((row) => ({ ...row }))
  } finally {
    store.close()
  }
}

/** The pets of the store, in the order of their identifiers; none without a store. */
export const kept = (place: Workplace) =>
  existsSync(place.path("store.db")) ? columnsOf(place, "name, category_id, status") : []

/** The words by which the pets are found, of each pet. */
export const words = (place: Workplace) => columnsOf(place, "words", "pet_words").map((row) => row["words"])

/** Runs `petstore import` over a file of this name and content. */
export const importing = async (name: string, content: string | Buffer, ...options: ReadonlyArray<string>) => {
  const place = openWorkplace()
  writeFileSync(place.path(name), content)
  return { ...(await place.run(["import", name, ...options])), pets: kept(place) }
}
