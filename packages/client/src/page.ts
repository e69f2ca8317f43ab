import type { CallOptions } from "./call-options.js"
import { int64Of, type Pet, type PetStatus } from "./pet.js"
import type { ResponseHeaders } from "./platform.js"
import type { Result } from "./result.js"

/** Which page of a list to get. */
export interface ListQuery {
  /** The maximum number of items, 1 to 100. */
  readonly limit?: number | undefined
  /** Where the page starts. Copy the cursor from `next`, and keep the same filters. */
  readonly cursor?: string | undefined
}

/** Which page of pets to list. */
export interface PetQuery extends ListQuery {
  /** Only pets with this status. */
  readonly status?: PetStatus | undefined
  /** Only pets with these identifiers, 1 to 100 of them. Unknown identifiers are ignored. @experimental */
  readonly id?: ReadonlyArray<bigint> | undefined
  /** Only pets in this category. @experimental */
  readonly categoryId?: bigint | undefined
  /**
   * Only pets whose names have, for each word of this text of 1 to 64 code points, a word that begins with it: `mr whi` finds
   * `Mr. Whiskers`. Case, accents and apostrophes are ignored.
   *
   * @experimental
   */
  readonly name?: string | undefined
  /** Only pets without a status. Cannot be combined with `status`. @experimental */
  readonly withoutStatus?: true | undefined
  /** The order of the pets by identifier: ascending, unless it is `desc`. @experimental */
  readonly order?: "asc" | "desc" | undefined
}

/** One page of pets. With `name` or several filters, a page may have few pets or none although more pages follow. */
export interface Page {
  readonly items: ReadonlyArray<Pet>
  /**
   * The query for the next page, for `listPets`. Absent on the last page. The query is plain data that includes the cursor: you
   * may store it, and convert it to JSON if no filter is a bigint.
   */
  readonly next?: PetQuery & { readonly cursor: string }
}

export const largestPage = 100
const longestWaitSeconds = 30
const mostIds = 100
/** The maximum number of code points in a search by name. */
const longestName = 64

interface Cursor {
  readonly cursor: string
}

type AnyQuery = ListQuery &
  Omit<PetQuery, "status"> & {
    readonly status?: string | undefined
    readonly petId?: bigint | undefined
    readonly wait?: number | undefined
  }

/** Returns the path of a page of a list, relative to the base address. Throws a `TypeError` for an invalid query. */
export const pagePath = (path: string, statuses: object, query: AnyQuery): string => {
  const { status, limit, cursor, id, categoryId, name, withoutStatus, petId, order, wait } = query
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1 && limit <= largestPage)) {
    throw new TypeError(`limit must be a whole number from 1 to ${largestPage}, got ${String(limit)}.`)
  }
  if (status !== undefined && !Object.hasOwn(statuses, status))
    throw new TypeError(`status must be one of ${Object.keys(statuses).join(", ")}.`)
  if (cursor !== undefined && typeof cursor !== "string") throw new TypeError(`cursor must be a string, got ${typeof cursor}.`)
  if (id !== undefined && !(Array.isArray(id) && id.length >= 1 && id.length <= mostIds))
    throw new TypeError(`id must be an array of 1 to ${mostIds} identifiers.`)
  for (const [name, value] of Object.entries({ categoryId, petId })) if (value !== undefined) int64Of(name, value)
  if (name !== undefined && !(typeof name === "string" && name !== "" && [...name].length <= longestName))
    throw new TypeError(`name must be a string of 1 to ${longestName} characters.`)
  if (withoutStatus !== undefined && (withoutStatus !== true || status !== undefined))
    throw new TypeError("withoutStatus must be true, without a status beside it.")
  if (order !== undefined && order !== "asc" && order !== "desc") throw new TypeError("order must be asc or desc.")
  if (wait !== undefined && !(Number.isSafeInteger(wait) && wait >= 0 && wait <= longestWaitSeconds))
    throw new TypeError(`wait must be a whole number of seconds from 0 to ${longestWaitSeconds}, got ${String(wait)}.`)
  const parameters = new URLSearchParams(id?.map((one) => ["id", String(int64Of("id", one))]))
  for (const [parameter, value] of Object.entries({
    limit,
    status,
    categoryId,
    name,
    withoutStatus,
    petId,
    order,
    wait,
    cursor,
  })) {
    if (value !== undefined) parameters.set(parameter, String(value))
  }
  const text = parameters.toString()
  return text === "" ? path : `${path}?${text}`
}

/**
 * Decodes a page. Returns `undefined` if the response is not valid.
 *
 * @param mayStay  whether the page may have its own cursor: an empty page of changes stays where it is
 */
export const readPage = <A, Query extends AnyQuery>(
  query: Query,
  items: ReadonlyArray<A> | undefined,
  headers: ResponseHeaders,
  mayStay: boolean,
): { readonly items: ReadonlyArray<A>; readonly next?: Query & Cursor; readonly later?: Query & Cursor } | undefined => {
  const links = headers.get("Link")
  const [next, later] = [cursorIn(links, "next"), cursorIn(links, "monitor")]
  // If a page named itself as the next page, the iteration would never end.
  if (items === undefined || (next !== undefined && next === query.cursor && !mayStay)) return undefined
  return {
    items,
    ...(next !== undefined && { next: { ...query, cursor: next } }),
    ...(later !== undefined && { later: { ...query, order: undefined, wait: undefined, cursor: later } }),
  }
}

export async function* everyItem<A, Query extends ListQuery>(
  list: (
    query: Query | ListQuery,
    options: CallOptions,
  ) => Promise<Result<{ readonly items: ReadonlyArray<A>; readonly next?: Query }>>,
  query: Query | undefined,
  options: CallOptions = {},
): AsyncGenerator<A, void, undefined> {
  let next: Query | ListQuery | undefined = { limit: largestPage, ...query }
  while (next !== undefined) {
    const { value }: Awaited<ReturnType<typeof list>> = await list(next, options)
    yield* value.items
    next = value.next
  }
}

/** Matches one target in a `Link` header, with its parameters (RFC 8288 §3). */
const link = /<[^<>?]*(?:\?([^<>]*))?>([^<]*)/g
const relations = { next: /;\s*rel="?next"?/i, monitor: /;\s*rel="?monitor"?/i }

/** Returns the cursor in the link of a `Link` header with this relation. Returns `undefined` if there is no such link. */
export const cursorIn = (header: string | null, relation: keyof typeof relations): string | undefined => {
  for (const [, query = "", parameters = ""] of (header ?? "").matchAll(link)) {
    if (relations[relation].test(parameters)) return new URLSearchParams(query).get("cursor") ?? undefined
  }
  return undefined
}
