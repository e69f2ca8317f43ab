/** Follows what happens in the store, and refreshes the page when something has happened. */
import type { Change, ChangeQuery } from "@petstore/client"
import { hasCode, sentenceOf } from "./failure.ts"
import { refresh } from "./refresh.ts"
import { isRefused } from "./session.ts"
import { now, type Session, update } from "./state.ts"
import { pause } from "./until-known.ts"

/** The time between requests, in ms. */
const againMillis = 3_000

const largestPage = 100

/** The maximum number of changes of a day that the page counts. */
const mostChanges = 5_000

/** When this browser's day began. */
const midnight = (): Date => new Date(new Date().setHours(0, 0, 0, 0))

const ofToday = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  const from = midnight()
  return changes.filter(({ at }) => at >= from).slice(0, mostChanges)
}

/** Reads back to midnight. Returns the query for what happens later. */
const readToday = async ({ petstore, signal }: Session): Promise<ChangeQuery | undefined> => {
  const from = midnight()
  const found: Array<Change> = []
  let later: ChangeQuery | undefined
  let query: ChangeQuery | undefined = { order: "desc", limit: largestPage }
  while (query !== undefined && found.length < mostChanges) {
    const { value }: Awaited<ReturnType<typeof petstore.listChanges>> = await petstore.listChanges(query, { signal })
    later ??= value.later
    found.push(...value.items)
    const oldest = value.items.at(-1)
    query = oldest === undefined || oldest.at < from ? undefined : value.next
  }
  update({ today: ofToday(found) })
  return later
}

/** Resolves once the page is visible. */
const visible = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (document.visibilityState === "visible") return resolve()
    document.addEventListener("visibilitychange", () => resolve(), { once: true, signal })
  })

/** Keeps the page up to date until the session ends. */
export const watch = async (session: Session): Promise<void> => {
  const { petstore, signal } = session
  let query: ChangeQuery | undefined
  while (!signal.aborted) {
    try {
      if (query === undefined) {
        query = await readToday(session)
        await refresh()
      } else {
        const { value }: Awaited<ReturnType<typeof petstore.listChanges>> = await petstore.listChanges(query, {
          signal,
          maxRetries: 0,
        })
        query = value.next
        const { items } = value
        if (items.length > 0) update({ today: ofToday([...items.toReversed(), ...now().today]) })
        // A full page has more behind it.
        if (items.length === largestPage) continue
        if (items.length > 0 || now().trouble !== "") await refresh()
        else update({ freshAt: new Date() })
      }
    } catch (thrown) {
      if (signal.aborted || isRefused(thrown)) return
      if (hasCode(thrown, "cursor_expired")) query = undefined
      update({ trouble: sentenceOf(thrown) })
    }
    await pause(againMillis, signal).catch(() => {})
    await visible(signal)
  }
}
