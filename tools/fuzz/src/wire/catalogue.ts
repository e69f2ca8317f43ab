/** Reads the store's pets page by page. Each read returns the pets that have been added since the previous read. */
import { Client } from "@petstore/harness/client"
import { type Pet, pageOf } from "@petstore/harness/expectations"
import { pagesFrom } from "@petstore/harness/http"

/** How many of the last pages are read again, because PostgreSQL can commit a pet after others with higher identifiers. */
const overlap = 3

interface Page {
  readonly target: string
  readonly pets: ReadonlyArray<Pet>
}

export class Catalogue {
  readonly #key: string
  /** The last pages of the previous read. */
  #pages: ReadonlyArray<Page> = []

  constructor(key: string) {
    this.#key = key
  }

  /** The names of the pets that have been added since the previous read, oldest first. */
  async look(address: URL): Promise<ReadonlyArray<string>> {
    const told = new Set(this.#pages.flatMap(({ pets }) => pets.map(({ id }) => id)))
    const pages: Array<Page> = []
    const first = this.#pages[0]?.target ?? "/v1/pets?limit=100"
    using client = new Client(address, this.#key)
    for await (const { target, response } of pagesFrom(client, first)) pages.push({ target, pets: pageOf(response) })
    this.#pages = pages.slice(-overlap)
    return pages.flatMap(({ pets }) => pets.filter(({ id }) => !told.has(id)).map(({ name }) => name))
  }
}
