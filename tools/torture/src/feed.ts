/** The feed of changes (specification, section 16). One reader follows it with its cursor during the whole run. */
import assert from "node:assert/strict"
import { type Change, changesOf, petOfChange } from "@petstore/conformance/store-changes"
import type { Client } from "@petstore/harness/client"
import { pagesFrom } from "@petstore/harness/http"
import type { Callers } from "./callers.ts"
import type { Ledger } from "./ledger.ts"

const first = "/v1/changes?limit=100"

export class Feed {
  #target = `${first}&wait=1`
  readonly #seen: Array<Change> = []

  /** Follows the feed until the callers stop, over lost connections. */
  async follow(callers: Callers): Promise<void> {
    while (!callers.isStopping) {
      using client = callers.newClient()
      while (!callers.isStopping) {
        const response = await callers.send(client, { target: this.#target })
        if (response === undefined) break
        if (response.status !== 200) {
          callers.refused(response, "the reader of the feed")
          break
        }
        this.#seen.push(...changesOf(response))
        this.#target = response.link("next") ?? assert.fail("a page of the feed has no next link")
      }
    }
  }

  /** Reads the whole feed, and checks that the reader saw each change once, in the order of its pet. Nothing must be written. */
  async readAll(client: Client, { problem }: Ledger): Promise<ReadonlyArray<Change>> {
    this.#target = (await readOn(client, this.#target.replace("wait=1", "wait=0"), this.#seen)).replace("wait=0", "wait=1")
    const all: Array<Change> = []
    await readOn(client, first, all)
    const ofReader = Map.groupBy(this.#seen, petOfChange)
    for (const [pet, changes] of Map.groupBy(all, petOfChange)) {
      const [expected, seen] = [changes, ofReader.get(pet) ?? []].map((list) => list.map(({ id }) => id).join())
      if (seen !== expected) problem(`the reader of the feed saw the changes ${seen} of pet ${pet} instead of ${expected}`)
    }
    if (this.#seen.length > all.length) problem(`the reader of the feed saw ${this.#seen.length} changes, not ${all.length}`)
    return all
  }
}

/** Reads the feed to its present end. Returns the link to what follows. */
const readOn = async (client: Client, from: string, found: Array<Change>): Promise<string> => {
  let last = from
  for await (const { target, response } of pagesFrom(client, from)) {
    const page = changesOf(response)
    last = response.link("next") ?? target
    found.push(...page)
    if (page.length === 0) break
  }
  return last
}
