/** What the store keeps, page by page: each look tells the pets that came since the one before. */
import { Connection } from "@petstore/conformance/connection"
import { pageOf } from "@petstore/conformance/expectations"

/** The largest page. */
const limit = 100

export class Catalogue {
  readonly #key: string
  /** The next page to read: pages before it are full and never change. */
  #target = `/v1/pets?limit=${limit}`
  /** How many pets of that page were told. */
  #told = 0

  constructor(key: string) {
    this.#key = key
  }

  /** The names of the pets that were kept since the last look, oldest first. */
  async look(address: URL): Promise<ReadonlyArray<string>> {
    const names: Array<string> = []
    let target = this.#target
    let told = this.#told
    let connection = await Connection.open(address)
    try {
      for (;;) {
        connection.write(
          Buffer.from(`GET ${target} HTTP/1.1\r\nHost: ${address.host}\r\nAuthorization: Bearer ${this.#key}\r\n\r\n`),
        )
        const answer = await connection.read()
        const pets = pageOf(answer)
        names.push(...pets.slice(told).map(({ name }) => name))
        told = pets.length
        const next = answer.link("next")
        if (next === undefined) {
          // Only a look that came to its end counts.
          this.#target = target
          this.#told = told
          return names
        }
        target = next
        told = 0
        // A worker that goes says so.
        if (/close/i.test(answer.header("connection") ?? "")) {
          connection.destroy()
          connection = await Connection.open(address)
        }
      }
    } finally {
      connection.destroy()
    }
  }
}
