import { Client } from "@petstore/harness/client"
import { type Pet, pageOf } from "@petstore/harness/expectations"
import { pagesFrom } from "@petstore/harness/http"

/** How many of the last pages are read again, because PostgreSQL can commit a pet after others with higher identifiers. */
const overlap = 3

/** Each read returns the names of the pets that have been added since the previous read, oldest first. */
export const namesReader = (key: string) => {
  /** The last pages of the previous read. */
  let known: ReadonlyArray<{ readonly target: string; readonly pets: ReadonlyArray<Pet> }> = []

  return async (address: URL): Promise<ReadonlyArray<string>> => {
    const told = new Set(known.flatMap(({ pets }) => pets.map(({ id }) => id)))
    const pages: Array<(typeof known)[number]> = []
    using client = new Client(address, key)
    for await (const { target, response } of pagesFrom(client, known[0]?.target ?? "/v1/pets?limit=100")) {
      pages.push({ target, pets: pageOf(response) })
    }
    known = pages.slice(-overlap)
    return pages.flatMap(({ pets }) => pets.filter(({ id }) => !told.has(id)).map(({ name }) => name))
  }
}
