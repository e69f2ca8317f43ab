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
import type { ReadResponse, SendRead } from "./response/read-response.js"

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

/** After how many ms a look also checks the keys: a revocation must reach a waiting request within 5 s (specification 5.18). */
const keysMillis = 1_500

/** How many pages are read before other requests come first. */
const readsAtOnce = 100

interface WaitingPage {
  readonly answer: ReadResponse
  readonly isEmpty: boolean
}

interface Waiter {
  readonly exchange: Exchange
  readonly sinceMillis: number
  readonly read: () => Promise<WaitingPage>
  /** The state of the store that `page` shows. */
  seen: string
  page: WaitingPage
  readonly leave: () => void
}

interface WaitingOptions extends Pick<Config, "waitingLimit"> {
  /** Reads a text that differs after every change. */
  readonly latest: () => string | Promise<string>
  /** Throws an `HttpError` if the key of a request is not good. */
  readonly authenticator: (exchange: Exchange, nowMillis: number) => unknown
  readonly sendRead: SendRead
  readonly isStopping: () => boolean
}

export class Waiting {
  readonly #options: WaitingOptions
  readonly #waiters = new Set<Waiter>()
  readonly #ofKey = new Map<string, number>()
  /** What the last look saw. Kept only while requests wait. */
  #latest: string | undefined
  #state: Promise<string> | undefined
  #next: NodeJS.Timeout | undefined
  #nextAtMillis = Number.POSITIVE_INFINITY
  #isLooking = false
  #isAskedAgain = false
  /** When the pause after the last look is over. */
  #restsUntilMillis = 0
  #keysCheckedAtMillis = 0

  constructor(options: WaitingOptions) {
    this.#options = options
  }

  /** Whether this write may be what a request waits for: call {@link lookSoon} after it. */
  get hasWaiters(): boolean {
    return this.#waiters.size > 0
  }

  /** The state of the store before a page is read: a change after it will wake the request that gets this page. */
  async state(): Promise<string> {
    if (this.#latest !== undefined) return this.#latest
    // Requests that come together share one statement. What it returns is from before their pages.
    this.#state ??= Promise.resolve(this.#options.latest()).finally(() => {
      this.#state = undefined
    })
    return this.#state
  }

  /** Lets a request wait that got an empty page. Throws if too many wait already. */
  hold(exchange: Exchange, seconds: number, seen: string, page: WaitingPage, read: Waiter["read"]): void {
    const { waitingLimit, isStopping } = this.#options
    if (isStopping() || exchange.res.destroyed) {
      this.#options.sendRead(exchange, page.answer)
      return
    }
    const keyId = exchange.caller.id
    const ofKey = this.#ofKey.get(keyId) ?? 0
    if (ofKey >= waitingMaximumOfKey) throw toHttpError(new TooManyWaiting({ of: "key", limit: waitingMaximumOfKey }))
    if (this.#waiters.size >= waitingLimit) throw toHttpError(new TooManyWaiting({ of: "service", limit: waitingLimit }))
    release(exchange.res)
    const end = (): void => this.#finish(waiter)
    const timer = setTimeout(end, seconds * 1000)
    const ignoreEnd = onInputEnd(exchange.req, end)
    const leave = (): void => {
      clearTimeout(timer)
      ignoreEnd()
      exchange.res.off("close", end)
    }
    const waiter: Waiter = { exchange, sinceMillis: performance.now(), read, seen, page, leave }
    exchange.res.on("close", end)
    this.#waiters.add(waiter)
    this.#ofKey.set(keyId, ofKey + 1)
    this.#latest ??= seen
    this.#schedule(performance.now() + lookMillis)
    // Another change may have come between the page and now.
    if (this.#latest !== seen) this.lookSoon()
  }

  /** Looks at the store, now or shortly after the last look. */
  readonly lookSoon = (): void => {
    if (!this.hasWaiters) return
    if (this.#isLooking) this.#isAskedAgain = true
    else this.#schedule(Math.max(performance.now(), this.#restsUntilMillis))
  }

  /** Answers all requests that wait, because the process stops. */
  readonly endAll = (): void => {
    for (const waiter of [...this.#waiters]) this.#finish(waiter)
  }

  /** The earlier of two looks counts. */
  #schedule(atMillis: number): void {
    if (atMillis >= this.#nextAtMillis) return
    this.#cancel()
    this.#nextAtMillis = atMillis
    this.#next = setTimeout(() => void this.#look(), atMillis - performance.now())
  }

  #cancel(): void {
    clearTimeout(this.#next)
    this.#nextAtMillis = Number.POSITIVE_INFINITY
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    this.#isAskedAgain = false
    let readsSinceMillis = performance.now()
    try {
      const latest = await this.#options.latest()
      // Behind other statements, the database may take long for the first one, which keeps this process from nothing.
      readsSinceMillis = performance.now()
      this.#latest = latest
      await this.#readFor(
        [...this.#waiters].filter(({ seen }) => seen !== latest),
        latest,
      )
    } catch {
      // The database is unavailable. The requests wait on, and their next requests get its failure.
    }
    const now = performance.now()
    this.#restsUntilMillis = now + Math.max(pauseMinimumMillis, pauseTimes * (now - readsSinceMillis))
    if (now - this.#keysCheckedAtMillis >= keysMillis) {
      this.#keysCheckedAtMillis = now
      await this.#checkKeys()
    }
    this.#isLooking = false
    this.#cancel()
    if (!this.hasWaiters) this.#latest = undefined
    else if (this.#isAskedAgain) this.lookSoon()
    else this.#schedule(now + lookMillis)
  }

  /** Reads one page for all that wait with the same query, and answers them if it has changes. */
  async #readFor(waiters: ReadonlyArray<Waiter>, latest: string): Promise<void> {
    const groups = [...Map.groupBy(waiters, ({ exchange }) => exchange.querystring).values()]
    for (let first = 0; first < groups.length; first += readsAtOnce) {
      await Promise.all(groups.slice(first, first + readsAtOnce).map((group) => this.#readOne(group, latest)))
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async #readOne(group: ReadonlyArray<Waiter>, latest: string): Promise<void> {
    const [one] = group
    if (one === undefined) return
    try {
      const page = await one.read()
      for (const waiter of group) {
        waiter.seen = latest
        waiter.page = page
        if (!page.isEmpty) this.#finish(waiter)
      }
    } catch (thrown) {
      for (const waiter of group) this.#finish(waiter, () => Promise.reject(thrown))
    }
  }

  /** Refuses the requests whose key was revoked or has expired meanwhile. */
  async #checkKeys(): Promise<void> {
    const byKey = Map.groupBy(this.#waiters, ({ exchange }) => exchange.caller.id)
    for (const group of byKey.values()) {
      const [one] = group
      if (one === undefined) continue
      try {
        await this.#options.authenticator(one.exchange, performance.now())
      } catch (thrown) {
        if (!(thrown instanceof HttpError) || thrown.object.status !== 401) continue
        for (const waiter of group) this.#finish(waiter, () => Promise.reject(thrown))
      }
    }
  }

  #finish(waiter: Waiter, respond: Handler = (exchange) => this.#options.sendRead(exchange, waiter.page.answer)): void {
    if (!this.#waiters.delete(waiter)) return
    const { exchange, sinceMillis, leave } = waiter
    leave()
    const { id } = exchange.caller
    const left = (this.#ofKey.get(id) ?? 1) - 1
    if (left === 0) this.#ofKey.delete(id)
    else this.#ofKey.set(id, left)
    exchange.waitedMillis = performance.now() - sinceMillis
    if (!exchange.res.destroyed) attempt(exchange, respond)
    if (this.hasWaiters || this.#isLooking) return
    this.#cancel()
    this.#latest = undefined
  }
}
