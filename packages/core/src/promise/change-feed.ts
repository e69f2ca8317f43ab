import * as Effect from "effect/Effect"
import type { Change } from "../changes/change.js"
import { pageLimits } from "../page.js"
import type { Page } from "./catalogue.js"
import { listFailed } from "./lists.js"
import type { ChangeFeed, ChangeQuery, FollowQuery, Petstore } from "./petstore.js"
import type { OpenStore } from "./run.js"

/** Follows the changes page by page. Every pause is a call of the store, so a signal ends it. */
export const followChanges = (
  { run }: OpenStore<never>,
  list: Petstore["listChanges"],
  { petId, ...start }: FollowQuery,
): ChangeFeed => {
  let { cursor } = start
  const pause = () => run(Effect.sleep("1 second"))

  const untilAvailable = async (query: ChangeQuery): Promise<Page<Change, ChangeQuery>> => {
    for (;;) {
      const found = await list(query)
      if (found.ok) return found.value
      if (found.error.code !== "storage_unavailable") throw listFailed(found)
      await pause()
    }
  }

  return {
    get cursor() {
      return cursor
    },
    async *[Symbol.asyncIterator]() {
      if (start.from === "now") cursor ??= (await untilAvailable({ petId, order: "desc", limit: 1 })).later?.cursor
      for (;;) {
        const { items, next } = await untilAvailable({ petId, cursor, limit: pageLimits.maximum })
        yield* items
        cursor = next?.cursor
        if (items.length === 0) await pause()
      }
    },
  }
}
