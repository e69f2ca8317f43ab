/**
 * The feed of changes (specification, section 16). One reader follows it with its cursor during the whole run. After each round,
 * what the reader saw is compared with the whole feed, the feed with what clients were told, and its end with the store.
 */
import { type Change, changesOf } from "@petstore/conformance/store-changes"
import { type Order, ordersOf } from "@petstore/conformance/store-orders"
import { Client } from "@petstore/harness/client"
import { messageOf } from "@petstore/harness/error-text"
import { type Pet, pageOf } from "@petstore/harness/expectations"
import { pagesFrom } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import type { Callers } from "./callers.ts"

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_name, member) => (typeof member === "bigint" ? `${member}n` : member)) ?? "nothing"

/** The pet that a change is about. Its changes are in order. */
const petOf = ({ before, after }: Change): bigint | undefined => (after?.pet ?? before?.pet)?.id

const byPet = (changes: ReadonlyArray<Change>) => Map.groupBy(changes, petOf)

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
        if (response.status === 200) this.#take(changesOf(response), response.link("next"))
        else {
          callers.refused(response, "the reader of the feed")
          break
        }
      }
    }
  }

  #take(changes: ReadonlyArray<Change>, next: string | undefined): void {
    this.#seen.push(...changes)
    if (next === undefined) throw new Error("a page of the feed has no next link")
    this.#target = next
  }

  /** Compares the feed, while nothing is written. Returns one sentence for each problem. */
  async problems(baseUrl: string, key: string, written: ReadonlySet<string>): Promise<ReadonlyArray<string>> {
    try {
      using client = new Client(baseUrl, key)
      for (let size = 1; size > 0; ) {
        const response = await client.send({ target: this.#target.replace("wait=1", "wait=0") })
        const changes = changesOf(response)
        size = changes.length
        this.#take(changes, response.link("next")?.replace("wait=0", "wait=1"))
      }
      const rows = async <Row>(target: string, rowsOf: (response: WireResponse) => ReadonlyArray<Row>) => {
        const found: Array<Row> = []
        for await (const { response } of pagesFrom(client, target)) {
          const page = rowsOf(response)
          // The feed has no last page.
          if (page.length === 0) break
          found.push(...page)
        }
        return found
      }
      const all = await rows(first, changesOf)
      const kept = { pet: await rows("/v1/pets?limit=100", pageOf), order: await rows("/v1/store/orders?limit=100", ordersOf) }
      return [...readerProblems(this.#seen, all), ...chainProblems(all, kept), ...acknowledgedProblems(all, written)]
    } catch (cause) {
      return [`the feed cannot be read: ${messageOf(cause)}`]
    }
  }
}

/** What a reader with a cursor saw more or less often than once, or in another order for its pet. */
const readerProblems = (seen: ReadonlyArray<Change>, all: ReadonlyArray<Change>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const ids = new Set(seen.map(({ id }) => id))
  if (ids.size !== seen.length) found.push(`the reader of the feed saw ${seen.length - ids.size} changes twice`)
  const missed = all.filter(({ id }) => !ids.has(id))
  if (missed.length > 0)
    found.push(`the reader of the feed missed ${missed.length} changes, the first of them ${textOf(missed[0])}`)
  const ofReader = byPet(seen)
  for (const [pet, changes] of byPet(all)) {
    const order = (list: ReadonlyArray<Change> = []) => list.map(({ id }) => id).join()
    if (missed.length === 0 && order(ofReader.get(pet)) !== order(changes))
      found.push(`the reader of the feed saw the changes of pet ${pet} in another order`)
  }
  return found
}

/** Where a change does not begin as the one before it ended, changes nothing, or where the last one is not what the store has. */
const chainProblems = (
  all: ReadonlyArray<Change>,
  kept: { readonly pet: ReadonlyArray<Pet>; readonly order: ReadonlyArray<Order> },
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const state = new Map<string, string>()
  for (const change of all) {
    if (textOf(change.before) === textOf(change.after)) found.push(`a change changes nothing: ${textOf(change)}`)
    for (const resource of ["pet", "order"] as const) {
      const [before, after] = [change.before?.[resource], change.after?.[resource]]
      const { id } = after ?? before ?? {}
      if (id === undefined) continue
      const name = `${resource} ${id}`
      const expected = state.get(name) ?? "nothing"
      if (textOf(before) !== expected) found.push(`${name} was ${expected} before ${textOf(change)}`)
      if (after === undefined) state.delete(name)
      else state.set(name, textOf(after))
    }
  }
  for (const resource of ["pet", "order"] as const) {
    const rows = new Map(kept[resource].map((row) => [`${resource} ${row.id}`, textOf(row)]))
    const names = [...state.keys()].filter((name) => name.startsWith(`${resource} `))
    for (const name of new Set([...names, ...rows.keys()])) {
      if (state.get(name) !== rows.get(name))
        found.push(`${name} is ${rows.get(name) ?? "not there"}, but the feed ends with ${state.get(name) ?? "nothing"}`)
    }
  }
  return found
}

/** Acknowledged writes that have no change, or several. */
const acknowledgedProblems = (all: ReadonlyArray<Change>, written: ReadonlySet<string>): ReadonlyArray<string> => {
  const byRequest = Map.groupBy<unknown, Change>(all, ({ requestId }) => requestId)
  return [...written].flatMap((requestId) => {
    const count = byRequest.get(requestId)?.length ?? 0
    return count === 1 ? [] : [`the acknowledged request ${requestId} left ${count} changes`]
  })
}
