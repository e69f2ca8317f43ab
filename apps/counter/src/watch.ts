/** Follows what happens in the store, and refreshes the page when something has happened. */
import type { Change, ChangeQuery } from "@petstore/client"
import { hasCode, sentenceOf } from "./failure.ts"
import { refresh } from "./refresh.ts"
import { isRefused } from "./session.ts"
import { now, type Session, update } from "./state.ts"
import { pause } from "./until-known.ts"

/** How long a request waits for a change, in seconds: shorter than many proxies let a connection be silent. */
const waitSeconds = 25

/** The pause after a failure, and between requests that do not wait, in ms. */
const againMillis = 3_000

/** The pause after a change, in ms. Changes that follow each other closely are read together. */
const togetherMillis = 200

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

/** Ends the request that waits: a hidden page needs no connection, and a page without a network should say so at once. */
let interrupting = new AbortController()
addEventListener("offline", () => interrupting.abort())
document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && interrupting.abort())

/** Keeps the page up to date until the session ends. */
export const watch = async (session: Session): Promise<void> => {
  const { petstore, signal } = session
  let query: ChangeQuery | undefined
  /** The next request does not wait after a failure or an interruption, so that the page soon knows how things are. */
  let wait = 0
  let millis = 0
  while (!signal.aborted) {
    interrupting = new AbortController()
    const interrupted = interrupting.signal
    try {
      if (query === undefined) {
        query = await readToday(session)
        await refresh()
      } else {
        const options = { signal: AbortSignal.any([signal, interrupted]), maxRetries: 0 }
        const { value }: Awaited<ReturnType<typeof petstore.listChanges>> = await petstore.listChanges(
          { ...query, wait },
          options,
        )
        query = value.next
        const { items } = value
        if (items.length > 0) update({ today: ofToday([...items.toReversed(), ...now().today]) })
        // A full page has more behind it.
        if (items.length === largestPage) continue
        if (items.length > 0 || now().trouble !== "") await refresh()
        else update({ freshAt: new Date() })
      }
      wait = waitSeconds
      millis = togetherMillis
    } catch (thrown) {
      if (signal.aborted || isRefused(thrown)) return
      wait = 0
      millis = interrupted.aborted ? 0 : againMillis
      if (hasCode(thrown, "cursor_expired")) query = undefined
      // Too many pages of this key are waiting, so this one asks every few seconds.
      else if (!interrupted.aborted && !hasCode(thrown, "too_many_waiting")) update({ trouble: sentenceOf(thrown) })
    }
    await pause(millis, signal).catch(() => {})
    await visible(signal)
  }
}
