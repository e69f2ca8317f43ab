/**
 * The page cache: a page is sent from memory until a write may have changed it. In ascending order, new pets come last, so they
 * do not change a page that has a next page.
 *
 * A cached page must include every change that was committed before its request was read from the socket. So requests wait until
 * the end of their tick. The cache then reads the store's revision once. This revision is valid for all of the tick's requests,
 * because all of them have been read by then.
 */
import { inOnePiece } from "@petstore/bounded-http"
import type { PetRevision } from "@petstore/core"
import { containsApiKey } from "@petstore/core/internal"
import { Option } from "effect"
import { attempt, type Exchange, type Handler } from "../exchange.js"
import type { EndOfTick } from "./end-of-tick.js"
import { type ReadResponse, writeRead } from "./read-response.js"

export interface Page {
  readonly answer: ReadResponse
  /** Whether new pets come after this page: the list is sorted by ascending identifier, and the page has a next page. */
  readonly isSettled: boolean
  readonly isEmpty: boolean
}

export type ReadPage = (exchange: Exchange) => Page | Promise<Page>

interface CachedPage extends Page {
  /** The revision before the page was read. The page is at least as new. */
  readonly readAt: PetRevision
  readonly bytes: number
}

/** The approximate limit of the cache, in bytes. Pages that were not requested recently are dropped first. */
const maximumBytes = 32 * 1024 * 1024

/** The approximate size of an entry without its texts, in bytes. */
const overheadBytes = 500

/** The longest target whose page is cached, in characters. Most valid targets are shorter. */
const targetMaximum = 512

/** How many queries with one request are remembered before the older half is dropped. They take less than 2 MiB. */
const seenMaximum = 1_000

/** Long targets are not remembered, because they would fill the memory. Neither are queries with API keys. */
const mayRemember = (target: string): boolean => target.length <= targetMaximum && !containsApiKey(target)

const isCurrent = ({ isSettled, readAt }: CachedPage, now: PetRevision): boolean =>
  now.changes === readAt.changes && (isSettled || now.insertions === readAt.insertions)

/** Responds with a cached page, or with the page that `readPage` reads. */
export const cached = (
  readPage: ReadPage,
  { revision, readTogether, sendRead }: Omit<EndOfTick, "sendLater"> & { readonly revision: () => Option.Option<PetRevision> },
): Handler => {
  // By query, in two generations. When `young` is full, `old` is dropped with the pages that were not requested meanwhile.
  let young = new Map<string, CachedPage>()
  let old = new Map<string, CachedPage>()
  let youngBytes = 0
  let seen = new Set<string>()
  let seenBefore = new Set<string>()
  let waiting: Array<{ readonly exchange: Exchange; readonly page: CachedPage }> = []

  const add = (query: string, page: CachedPage): void => {
    old.delete(query)
    youngBytes += page.bytes - (young.get(query)?.bytes ?? 0)
    young.set(query, page)
    if (youngBytes > maximumBytes / 2) {
      old = young
      young = new Map()
      youngBytes = 0
    }
  }

  /** Most pages of a walk through a large catalogue are requested only once. Caching them would fill the memory. */
  const isFirstTime = (query: string): boolean => {
    if (seen.has(query) || seenBefore.has(query)) return false
    seen.add(query)
    if (seen.size >= seenMaximum) {
      seenBefore = seen
      seen = new Set()
    }
    return true
  }

  const answerAnew = readTogether((exchange) => {
    const { querystring: query, req } = exchange
    const mayKeep = mayRemember(req.url ?? "") && !isFirstTime(query)
    // The revision is read first, so that a write in between makes the page look older than it is, never newer.
    const readAt = mayKeep ? Option.getOrUndefined(revision()) : undefined
    const answer = (page: Page): void => {
      if (readAt !== undefined) {
        const kept = { ...page.answer, headers: inOnePiece(page.answer.headers) }
        add(query, { ...page, answer: kept, readAt, bytes: kept.bytes + query.length + overheadBytes })
      }
      sendRead(exchange, page.answer)
    }
    const page = readPage(exchange)
    return page instanceof Promise ? page.then(answer) : answer(page)
  })

  /** If the store fails here, each request reads on its own and responds with its own failure. */
  const revisionNow = (): PetRevision | undefined => {
    try {
      return Option.getOrUndefined(revision())
    } catch {
      return undefined
    }
  }

  const answerWaiting = (): void => {
    const all = waiting
    waiting = []
    const now = revisionNow()
    for (const { exchange, page } of all) {
      const work = now !== undefined && isCurrent(page, now) ? () => writeRead(exchange, page.answer) : answerAnew
      attempt(exchange, work)
    }
  }

  return (exchange) => {
    const { querystring: query } = exchange
    let page = young.get(query)
    if (page === undefined) {
      page = old.get(query)
      if (page === undefined) return answerAnew(exchange)
      add(query, page)
    }
    if (waiting.push({ exchange, page }) === 1) setImmediate(answerWaiting)
    return undefined
  }
}
