/**
 * Requests that wait for changes (specification 16.30 to 16.35). A request waits here, without memory for its response, until
 * there is a change for it, its time is over, its client leaves, its key is no longer good, or the process stops. One look at the
 * store each second serves all of them, and one after each write of this process.
 */
import { onInputEnd, release } from "@petstore/bounded-http"
import { TooManyWaiting } from "@petstore/core"
import type { Config } from "../config.js"
import { HttpError, toHttpError } from "./error-response.js"
import { attempt, type Exchange, type Handler } from "./exchange.js"
import type { Page, ReadPage } from "./response/page-cache.js"
import type { SendRead } from "./response/read-response.js"

/** How many requests of one API key may wait in a process. */
export const waitingMaximumOfKey = 10

/** How often the store is asked if nothing is written here, in ms. Changes of other processes are seen that late. */
const lookMillis = 1_000

/**
 * The shortest pause after a look, in ms, however often this process writes, and the number of times that it is longer than the
 * reading of pages: many requests with different queries must not keep the process busy.
 */
const pauseMinimumMillis = 4
const pauseTimes = 4

/** How long a key counts as checked, in ms: a revocation must reach a waiting request within 5 s (specification 5.18). */
const keysMillis = 2_500

/** How many pages are read before other requests come first. */
const readsAtOnce = 100

interface Waiter {
  readonly exchange: Exchange
  readonly sinceMillis: number
  readonly readPage: ReadPage
  page: Page
  /** The state of the store that `page` shows, or `undefined` before the first look. */
  seen: string | undefined
}

interface WaitingOptions extends Pick<Config, "waitingLimit"> {
  /** Reads a text that differs after every change. */
  readonly latest: () => string | Promise<string>
  /** Throws an `HttpError` if the key of a request is not good. */
  readonly authenticator: (exchange: Exchange, nowMillis: number) => unknown
  readonly sendRead: SendRead
  readonly isStopping: () => boolean
}

export type Waiting = ReturnType<typeof createWaiting>

export const createWaiting = ({ waitingLimit, latest: readLatest, authenticator, sendRead, isStopping }: WaitingOptions) => {
  const waiters = new Set<Waiter>()
  /** Ends the pause before the next look. There are looks only while requests wait. */
  let asked: PromiseWithResolvers<void> | undefined

  /** Lets a request wait that got an empty page. Throws if too many wait already. */
  const hold = (exchange: Exchange, seconds: number, page: Page, readPage: ReadPage): void => {
    if (isStopping() || exchange.res.destroyed) {
      sendRead(exchange, page.answer)
      return
    }
    const ofKey = waiters.values().filter((waiter) => waiter.exchange.caller.id === exchange.caller.id)
    if ([...ofKey].length >= waitingMaximumOfKey) throw toHttpError(new TooManyWaiting({ of: "key", limit: waitingMaximumOfKey }))
    if (waiters.size >= waitingLimit) throw toHttpError(new TooManyWaiting({ of: "service", limit: waitingLimit }))
    release(exchange.res)
    const waiter: Waiter = { exchange, sinceMillis: performance.now(), readPage, page, seen: undefined }
    const end = (): void => finish(waiter)
    const timer = setTimeout(end, seconds * 1000)
    const ignoreEnd = onInputEnd(exchange.req, end)
    exchange.res.on("close", () => {
      clearTimeout(timer)
      ignoreEnd()
      end()
    })
    waiters.add(waiter)
    // A change may have come between the page and now.
    lookSoon()
  }

  /** Looks at the store, now or shortly after the last look. */
  const lookSoon = (): void => {
    if (asked !== undefined) asked.resolve()
    else if (waiters.size > 0) void watch()
  }

  const watch = async (): Promise<void> => {
    for (let keysAtMillis = performance.now(); waiters.size > 0; ) {
      // A write during a look asks for the next one.
      asked = Promise.withResolvers()
      const pauseMillis = await look()
      if (performance.now() - keysAtMillis >= keysMillis) {
        keysAtMillis = performance.now()
        for (const group of Map.groupBy(waiters, ({ exchange }) => exchange.caller.id).values()) {
          await once(group, ({ exchange }) => authenticator(exchange, performance.now()))
        }
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMillis))
      const timer = setTimeout(asked.resolve, lookMillis)
      await asked.promise
      clearTimeout(timer)
    }
    asked = undefined
  }

  /** Reads one page for all that wait with the same query, if there was a change. Returns how long to pause, in ms. */
  const look = async (): Promise<number> => {
    let readsSinceMillis = performance.now()
    try {
      const latest = await readLatest()
      // Behind other statements, the database may take long for the first one, which keeps this process from nothing.
      readsSinceMillis = performance.now()
      const unread = waiters.values().filter(({ seen }) => seen !== latest)
      const groups = [...Map.groupBy(unread, ({ exchange }) => exchange.querystring).values()]
      for (let first = 0; first < groups.length; first += readsAtOnce) {
        await Promise.all(groups.slice(first, first + readsAtOnce).map((group) => readFor(group, latest)))
        await new Promise((resolve) => setImmediate(resolve))
      }
    } catch {
      // The database is unavailable.
    }
    return Math.max(pauseMinimumMillis, pauseTimes * (performance.now() - readsSinceMillis))
  }

  const readFor = (group: ReadonlyArray<Waiter>, latest: string): Promise<void> =>
    once(group, async ({ readPage, exchange }) => {
      const page = await readPage(exchange)
      for (const waiter of group) {
        waiter.seen = latest
        waiter.page = page
        if (!page.isEmpty) finish(waiter)
      }
    })

  /** Does for one request what serves the whole group. They all get its failure, but wait on if the database is unavailable. */
  const once = async (group: ReadonlyArray<Waiter>, work: (one: Waiter) => unknown): Promise<void> => {
    try {
      const [one] = group
      if (one !== undefined) await work(one)
    } catch (thrown) {
      if (thrown instanceof HttpError && thrown.object.code === "storage_unavailable") return
      for (const waiter of group) finish(waiter, () => Promise.reject(thrown))
    }
  }

  const finish = (waiter: Waiter, respond: Handler = (exchange) => sendRead(exchange, waiter.page.answer)): void => {
    if (!waiters.delete(waiter)) return
    const { exchange, sinceMillis } = waiter
    exchange.startedAtMillis += performance.now() - sinceMillis
    if (!exchange.res.destroyed) attempt(exchange, respond)
    // Ends the looks.
    if (waiters.size === 0) lookSoon()
  }

  return {
    hold,
    lookSoon,
    /** Whether a write may be what a request waits for: call `lookSoon` after it. */
    hasWaiters: (): boolean => waiters.size > 0,
    /** Answers all requests that wait, because the process stops. */
    endAll: (): void => {
      for (const waiter of waiters) finish(waiter)
    },
  }
}
