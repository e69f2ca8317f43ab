/**
 * The feed of changes (specification, section 16). One reader follows it with its cursor during the whole run. After each round,
 * what the reader saw is compared with the whole feed, the feed with what clients were told, and its end with the store.
 */

import { Client } from "@petstore/harness/client"
import { messageOf } from "@petstore/harness/error-text"
import { type Json, members } from "@petstore/harness/exact-json"
import { pageOfRows } from "@petstore/harness/expectations"
import { pagesFrom } from "@petstore/harness/http"
import type { Callers } from "./callers.ts"

const resources = ["pet", "order", "category"] as const

type Side = Readonly<Partial<Record<(typeof resources)[number], Json>>>

interface Change {
  readonly id: string
  readonly requestId: string | undefined
  readonly before: Side
  readonly after: Side
}

const changeOf = (value: Json): Change => {
  const { id, requestId, before = null, after = null } = members(value) ?? {}
  return {
    id: String(id),
    requestId: requestId === undefined ? undefined : String(requestId),
    before: members(before) ?? {},
    after: members(after) ?? {},
  }
}

const changesOf = pageOfRows(changeOf)

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_name, member) => (typeof member === "bigint" ? `${member}n` : member)) ?? "nothing"

const idOf = (value: Json | undefined): string => textOf(members(value ?? null)?.["id"])

/** What a change is about: its pet, or its category. Its changes are in order. */
const subjectOf = ({ before, after }: Change): string => {
  const pet = after.pet ?? before.pet
  return pet === undefined ? `category ${idOf(after.category ?? before.category)}` : `pet ${idOf(pet)}`
}

const bySubject = (changes: ReadonlyArray<Change>): ReadonlyMap<string, ReadonlyArray<Change>> => Map.groupBy(changes, subjectOf)

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
      const all = await this.#whole(client)
      const rows = async (target: string): Promise<ReadonlyArray<Json>> => {
        const found: Array<Json> = []
        for await (const { response } of pagesFrom(client, target)) found.push(...pageOfRows((row) => row)(response))
        return found
      }
      const kept = { pet: await rows("/v1/pets?limit=100"), order: await rows("/v1/store/orders?limit=100") }
      return [...readerProblems(this.#seen, all), ...chainProblems(all, kept), ...acknowledgedProblems(all, written)]
    } catch (cause) {
      return [`the feed cannot be read: ${messageOf(cause)}`]
    }
  }

  async #whole(client: Client): Promise<ReadonlyArray<Change>> {
    const all: Array<Change> = []
    for await (const { response } of pagesFrom(client, first)) {
      const changes = changesOf(response)
      if (changes.length === 0) break
      all.push(...changes)
    }
    return all
  }
}

/** What a reader with a cursor saw more or less often than once, or in another order for its pet. */
export const readerProblems = (seen: ReadonlyArray<Change>, all: ReadonlyArray<Change>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const ids = new Set(seen.map(({ id }) => id))
  if (ids.size !== seen.length) found.push(`the reader of the feed saw ${seen.length - ids.size} changes twice`)
  const missed = all.filter(({ id }) => !ids.has(id))
  if (missed.length > 0)
    found.push(`the reader of the feed missed ${missed.length} changes, the first of them ${textOf(missed[0])}`)
  const ofReader = bySubject(seen)
  for (const [subject, changes] of bySubject(all)) {
    const order = (list: ReadonlyArray<Change> = []) => list.map(({ id }) => id).join()
    if (missed.length === 0 && order(ofReader.get(subject)) !== order(changes))
      found.push(`the reader of the feed saw the changes of ${subject} in another order`)
  }
  return found
}

/** Where a change does not begin as the one before it ended, changes nothing, or where the last one is not what the store has. */
export const chainProblems = (
  all: ReadonlyArray<Change>,
  kept: Readonly<Record<"pet" | "order", ReadonlyArray<Json>>>,
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const state = new Map<string, string>()
  for (const change of all) {
    if (textOf(change.before) === textOf(change.after)) found.push(`a change changes nothing: ${textOf(change)}`)
    for (const resource of resources) {
      const [before, after] = [change.before[resource], change.after[resource]]
      if (before === undefined && after === undefined) continue
      const name = `${resource} ${idOf(after ?? before)}`
      const expected = state.get(name) ?? "nothing"
      if (textOf(before) !== expected) found.push(`${name} was ${expected} before ${textOf(change)}`)
      if (after === undefined) state.delete(name)
      else state.set(name, textOf(after))
    }
  }
  for (const resource of ["pet", "order"] as const) {
    const rows = new Map(kept[resource].map((row) => [`${resource} ${idOf(row)}`, textOf(row)]))
    const names = [...state.keys()].filter((name) => name.startsWith(`${resource} `))
    for (const name of new Set([...names, ...rows.keys()])) {
      if (state.get(name) !== rows.get(name))
        found.push(`${name} is ${rows.get(name) ?? "not there"}, but the feed ends with ${state.get(name) ?? "nothing"}`)
    }
  }
  return found
}

/** Acknowledged writes that have no change, or several. */
export const acknowledgedProblems = (all: ReadonlyArray<Change>, written: ReadonlySet<string>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const { requestId } of all) if (requestId !== undefined) counts.set(requestId, (counts.get(requestId) ?? 0) + 1)
  return [...written].flatMap((requestId) => {
    const count = counts.get(requestId) ?? 0
    return count === 1 ? [] : [`the acknowledged request ${requestId} left ${count} changes`]
  })
}
