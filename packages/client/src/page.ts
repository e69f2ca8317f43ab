import type { CallOptions } from "./call-options.js"
import { type Check, isInt64, must, mustBeInt64, mustBeOneOf, mustBeText } from "./fields.js"
import type { Pet, PetStatus } from "./pet.js"
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

/** The query of any list. */
export type AnyQuery = ListQuery &
  Omit<PetQuery, "status"> & {
    readonly status?: string | undefined
    readonly petId?: bigint | undefined
    readonly wait?: number | undefined
  }

const mustBeWhole = (least: number, most: number): Check =>
  must(
    `a whole number from ${least} to ${most}`,
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  )

/** Returns the path of a page of a list, relative to the base address. Throws a `TypeError` for an invalid query. */
export const pagePath = (path: string, statuses: ReadonlyArray<string>, query: AnyQuery): string => {
  const checks: { readonly [Name in keyof AnyQuery]-?: Check } = {
    id: must(
      `an array of 1 to ${mostIds} bigints of at most 64 bits`,
      (ids) => Array.isArray(ids) && ids.length >= 1 && ids.length <= mostIds && ids.every(isInt64),
    ),
    limit: mustBeWhole(1, largestPage),
    status: mustBeOneOf(statuses),
    categoryId: mustBeInt64,
    name: must(
      `a string of 1 to ${longestName} characters`,
      (name) => typeof name === "string" && new RegExp(`^.{1,${longestName}}$`, "su").test(name),
    ),
    withoutStatus: must("true, without a status beside it", (value) => value === true && query.status === undefined),
    petId: mustBeInt64,
    order: mustBeOneOf(["asc", "desc"]),
    wait: mustBeWhole(0, longestWaitSeconds),
    cursor: mustBeText,
  }
  const parameters = new URLSearchParams()
  for (const [name, check] of Object.entries(checks)) {
    const value: unknown = Reflect.get(query, name)
    if (value === undefined) continue
    check(name, value)
    for (const one of [value].flat()) parameters.append(name, String(one))
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`
}

/**
 * Decodes a page. Returns `undefined` if the response is not valid.
 *
 * @param mayStay  whether the page may have its own cursor: an empty page of changes stays where it is
 */
export const readPage = (
  query: AnyQuery,
  items: ReadonlyArray<unknown> | undefined,
  headers: ResponseHeaders,
  mayStay: boolean,
) => {
  const links = headers.get("Link")
  const [next, later] = [cursorIn(links, "next"), cursorIn(links, "monitor")]
  // If a page named itself as the next page, the iteration would never end.
  if (items === undefined || (next !== undefined && next === query.cursor && !mayStay)) return undefined
  return {
    items,
    ...(next && { next: { ...query, cursor: next } }),
    ...(later && { later: { ...query, order: undefined, wait: undefined, cursor: later } }),
  }
}

/** Returns the function that iterates over the items of a list, page by page. */
export const everyItem = <A, Query extends ListQuery>(
  list: (
    query?: Query,
    options?: CallOptions,
  ) => Promise<Result<{ readonly items: ReadonlyArray<A>; readonly next?: NoInfer<Query> }>>,
) =>
  async function* (query?: Query, options: CallOptions = {}): AsyncGenerator<A, void, undefined> {
    // Safe: every list has a limit.
    let next: Query | undefined = { limit: largestPage, ...query } as Query
    while (next !== undefined) {
      const { value }: Awaited<ReturnType<typeof list>> = await list(next, options)
      yield* value.items
      next = value.next
    }
  }

/** Matches one target in a `Link` header, with its parameters (RFC 8288 §3). */
const link = /<[^<>?]*(?:\?([^<>]*))?>([^<]*)/g

/** Returns the cursor in the link of a `Link` header with this relation. Returns `undefined` if there is no such link. */
export const cursorIn = (header: string | null, relation: "next" | "monitor"): string | undefined => {
  for (const [, query = "", parameters = ""] of (header ?? "").matchAll(link)) {
    if (new RegExp(`;\\s*rel="?${relation}"?`, "i").test(parameters)) return new URLSearchParams(query).get("cursor") ?? undefined
  }
  return undefined
}
