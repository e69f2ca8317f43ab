/**
 * The cache of pages: a page that was read once is sent again as it is, for as long as
 * no pet has been written that could change it. New pets come last in ascending order, so they leave a page alone
 * that has a next one.
 *
 * When was a request asked? When its bytes were read from the socket, which is at the latest when it
 * comes here. A kept page may be sent only if nothing that anybody committed before that moment changes it.
 * So requests wait for the end of their tick; the revision is asked for once, then;
 * and it speaks for all of them, because all of them had been read.
 */
import type { PetRevision } from "@petstore/core"
import { containsApiKey } from "@petstore/core/internal"
import { Option } from "effect"
import { attempt, type Exchange, type Handler } from "../exchange.js"
import type { EndOfTick } from "./end-of-tick.js"
import { type ReadAnswer, type SendRead, writeRead } from "./read-answer.js"

/** A page as it was read. */
export interface Page {
  readonly answer: ReadAnswer
  /** Whether new pets come behind this page: it is ascending by identifier and has a next one. */
  readonly isSettled: boolean
}

/** Reads the page that a request asks for. */
export type ReadPage = (exchange: Exchange) => Page | Promise<Page>

export interface CacheOptions {
  /** Asks the store how far it has come. */
  readonly revision: () => Option.Option<PetRevision>
  /** Reads a page again at the end of the tick. */
  readonly readTogether: EndOfTick["readTogether"]
  /** Sends a page that was read again. */
  readonly sendRead: SendRead
}

interface CachedPage extends Page {
  /** What the store said before the page was read: it is as new as this, or newer. */
  readonly readAt: PetRevision
  readonly bytes: number
}

/** Bound of what is kept, roughly, in bytes; what was not asked for lately goes first. */
const maximumBytes = 32 * 1024 * 1024

/** Bytes of one entry beside its texts, roughly. */
const overheadBytes = 500

/** The longest target whose page is kept, in characters. A page that can be asked for has a shorter one. */
const targetMaximum = 512

/** How many queries are remembered as asked for once, before the older half is forgotten: less than 2 MiB. */
const seenMaximum = 1_000

/** What is remembered is bounded, and an API key in a query is forgotten with its request. */
const mayRemember = (target: string): boolean => target.length <= targetMaximum && !containsApiKey(target)

const isCurrent = ({ isSettled, readAt }: CachedPage, now: PetRevision): boolean =>
  now.changes === readAt.changes && (isSettled || now.insertions === readAt.insertions)

/** Responds with a cached page, or with what `readPage` reads. */
export const cached = (readPage: ReadPage, { revision, readTogether, sendRead }: CacheOptions): Handler => {
  // By query. Two generations: what was not asked for while one half was filled goes with the other half, at once.
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

  /** Most pages of a walk through a large catalogue are requested once: caching those would fill the memory. */
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
    // The revision first: whatever is written between the two makes the page look older than it is.
    const readAt = mayKeep ? Option.getOrUndefined(revision()) : undefined
    const answer = (page: Page): void => {
      if (readAt !== undefined) {
        add(query, { ...page, readAt, bytes: page.answer.bytes + query.length + overheadBytes })
      }
      sendRead(exchange, page.answer)
    }
    const page = readPage(exchange)
    return page instanceof Promise ? page.then(answer) : answer(page)
  })

  /** A store that breaks at the question is asked again by each read, whose failure has a response. */
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
