import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { checksumLength, checksumOf } from "./crc32.js"
import { int64FromText, isInt64 } from "./json/int64.js"
import { type InvalidParameter, refused } from "./json/invalid-input.js"
import { showJson } from "./json/json.js"
import { nearMisses, otherSpelling } from "./json/near-miss.js"

/** The possible sizes of a page (specification, section 8). */
export const pageLimits = { minimum: 1, maximum: 100, default: 20 } as const

/** The request for the next page. In a URL's query, `cursor` says where the page starts. */
export type NextRequest<Request> = Request & { readonly cursor: string }

/** One page of a list. */
export interface Page<A, Request> {
  readonly items: ReadonlyArray<A>
  /** The request for the next page, ready to use. `None` on the last page. */
  readonly next: Option.Option<NextRequest<Request>>
  /** The request for items that are added later, on the first page of a list from the newest. */
  readonly later?: NextRequest<Request>
}

/** Where a page starts: after this identifier. Without filters, `filter` is `""`. */
export interface Position {
  readonly list: string
  readonly filter: string
  readonly after: bigint | string
}

/** A list's filters other than `status`: the names and values of their query parameters. */
export type Filters = ReadonlyArray<readonly [name: string, value: string]>

const shape = new RegExp(`^([0-9A-Za-z]{${checksumLength}})(([a-z]*)_([0-9A-Za-z]*)_([-_0-9A-Za-z]+))$`)

/** A cursor is opaque to callers. Its checksum detects mistakes, not forgery: a cursor gives no additional access. */
export const encodeCursor = ({ list, filter, after }: Position): string => {
  const text = `${list}_${filter}_${after}`
  return checksumOf(text) + text
}

/** Fails with `InvalidParameter` if the cursor was altered or was made for another list or filter. */
export const decodeCursor = <After>(
  decode: (text: string) => Option.Option<After>,
  cursor: string,
  list: string,
  filter: string,
): Either.Either<After, InvalidParameter> => {
  const [, checksum, text = "", ofList, ofFilter, after = ""] = shape.exec(cursor) ?? []
  const place = decode(after)
  if (Option.isNone(place) || checksumOf(text) !== checksum) {
    return refused("cursor", "expected a cursor from an earlier page", showJson(cursor))
  }
  return ofList === list && ofFilter === filter
    ? Either.right(place.value)
    : refused("cursor", "expected the list and the filter that the cursor was made for", showJson(cursor))
}

/** Which page of a list to get. */
export interface PageRequest<Status extends string, After = bigint> {
  /** The maximum number of items, 1 to 100. */
  readonly limit: number
  readonly status: Option.Option<Status>
  /** The last identifier of the previous page, or another place where it ended; `None` for the first page. */
  readonly after: Option.Option<After>
}

/** A request from a program. Absent members mean 20 items, any status, and the first page. `status` may be a plain value. */
export type PartialRequest<Request extends PageRequest<string>> = Omit<Request, "limit" | "status" | "after"> & {
  readonly [Member in "limit" | "after"]?: Request[Member] | undefined
} & { readonly status?: Request["status"] | Option.Option.Value<Request["status"]> | undefined }

/** The filters of a list, for a stream of all its pages. */
export type EveryRequest<Request extends PageRequest<string>> = Omit<PartialRequest<Request>, "limit" | "after">

/** The filters as they appear in a cursor: a status alone is unchanged, and other filters become a digest. */
export const filterOf = (status: Option.Option<string>, filters: Filters): string => {
  const named = Option.getOrElse(status, () => "")
  return filters.length === 0 ? named : checksumOf(encodeURI([named, ...filters].join("&")))
}

/** A list's name in its cursors, the statuses of its items, and its other filters. */
export interface ListRules<Status extends string, More extends object> {
  readonly list: string
  readonly statuses: ReadonlyArray<Status>
  readonly decode: (valuesOf: ValuesOf) => Either.Either<More, InvalidParameter>
  /** Returns the filters that are set, in a canonical form. */
  readonly filters: (request: More) => Filters
}

/** Returns every value of a query parameter. */
export type ValuesOf = (parameter: string) => ReadonlyArray<string>

/** Fails with `InvalidParameter` if a known parameter was sent only in another spelling, such as `Status` or `id[]`. */
export const checkParameterNames = (
  sent: ReadonlyArray<string>,
  known: ReadonlyArray<string>,
): Either.Either<void, InvalidParameter> => {
  const [miss] = nearMisses(sent, known)
  return miss === undefined ? Either.void : refused(miss[0], otherSpelling, showJson(miss[1]))
}

/**
 * Makes the decoder for a list's query parameters: `limit`, `status`, `cursor` and the list's own parameters. The decoder
 * fails with `InvalidParameter` for a value that is repeated, empty, out of range or unknown, and ignores other parameters.
 */
export const decodePageRequest =
  <Status extends string, More extends object>({ list, statuses, decode, filters }: ListRules<Status, More>) =>
  (valuesOf: ValuesOf): Either.Either<PageRequest<Status> & More, InvalidParameter> => {
    const limit = decodeLimit(valuesOf("limit"))
    if (Either.isLeft(limit)) return Either.left(limit.left)
    const status = decodeOptional(valuesOf, "status", `expected one of ${statuses.join(", ")}`, (text) =>
      Option.fromNullable(statuses.find((one) => one === text)),
    )
    if (Either.isLeft(status)) return Either.left(status.left)
    const more = decode(valuesOf)
    if (Either.isLeft(more)) return Either.left(more.left)
    const filter = filterOf(status.right, filters(more.right))
    return Either.map(decodeStart(int64FromText, list, filter, valuesOf("cursor")), (after) => ({
      limit: limit.right,
      status: status.right,
      after,
      ...more.right,
    }))
  }

/** Checks a program's request by the rules for a query. */
export const checkPageRequest = <Status extends string, More extends object>(
  rules: ListRules<Status, More>,
  request: PartialRequest<PageRequest<Status> & More> | undefined,
): Either.Either<PageRequest<Status> & More, InvalidParameter> => {
  // Safe: every member of a page request is treated as optional.
  const given: PartialRequest<PageRequest<Status>> = Object(request)
  const { status, after = Option.none() } = given
  if (Option.isSome(after) && !isInt64(after.value)) {
    return refused("after", "expected a 64-bit integer", showJson(after.value))
  }
  const plainStatus = Option.isOption(status) ? Option.getOrUndefined(Option.map(status, String)) : status
  const decoded = decodePageRequest(rules)((parameter) => {
    if (parameter === "cursor") return []
    return valuesFrom(parameter === "status" ? plainStatus : Reflect.get(given, parameter))
  })
  return Either.map(decoded, (checked) => ({ ...checked, after }))
}

/** Writes a member of a program's request as the values of a query parameter. */
export const valuesFrom = (member: unknown): ReadonlyArray<string> => {
  if (member === undefined) return []
  // An empty list becomes an empty value, which the decoder refuses: an empty list must not mean all values.
  return Array.isArray(member) && member.length === 0
    ? [""]
    : [member].flat().map((one) => (typeof one === "object" ? showJson(one) : String(one)))
}

/** Decodes an optional parameter, which must have at most one value. */
export const decodeOptional = <A>(
  valuesOf: ValuesOf,
  parameter: string,
  expected: string,
  decode: (text: string) => Option.Option<A>,
): Either.Either<Option.Option<A>, InvalidParameter> => {
  const values = valuesOf(parameter)
  const [text] = values
  if (text === undefined) return Either.right(Option.none())
  const value = values.length === 1 ? decode(text) : Option.none()
  return Option.isSome(value) ? Either.right(value) : refused(parameter, expected, showValues(values))
}

/** Decodes the parameter `order`. Ascending is the same as no order. */
export const decodeDirection = (valuesOf: ValuesOf): Either.Either<{ readonly order?: "desc" }, InvalidParameter> =>
  Either.map(
    decodeOptional(valuesOf, "order", "expected asc or desc", (text) =>
      text === "asc" || text === "desc" ? Option.some(text) : Option.none(),
    ),
    (order) => (Option.contains(order, "desc") ? { order: "desc" } : {}),
  )

/** Makes a page. `after` is where it ends, or `undefined` on the last page. */
export const pageTo = <A, Request extends PageRequest<string>>(
  { list }: Pick<ListRules<never, never>, "list">,
  request: Request,
  filters: Filters,
  items: ReadonlyArray<A>,
  after: bigint | undefined,
): Page<A, Request> => {
  if (after === undefined) return { items, next: Option.none() }
  const cursor = encodeCursor({ list, filter: filterOf(request.status, filters), after })
  return { items, next: Option.some({ ...request, after: Option.some(after), cursor }) }
}

/** Reads a page from a repository. One more item than the limit shows that the list continues. */
export const readPage = <A extends { readonly id: bigint }, Request extends PageRequest<string>, E>(
  rules: Pick<ListRules<never, never>, "list">,
  request: Request,
  filters: Filters,
  repository: { readonly list: (selection: Request) => Effect.Effect<ReadonlyArray<A>, E> },
): Effect.Effect<Page<A, Request>, E> =>
  Effect.map(repository.list({ ...request, limit: request.limit + 1 }), (found) => {
    const items = found.slice(0, request.limit)
    const last = found.length > request.limit ? items.at(-1) : undefined
    return pageTo(rules, request, filters, items, last?.id)
  })

/** The request that begins a stream. It overrides members that a caller in JavaScript may have passed. */
export const everyPage = { limit: pageLimits.maximum, after: undefined } as const

/** Streams every item of a list, page by page. `first` requests the first page. */
export const streamOf = <A, Request, Next extends Request, E, R>(
  list: (request: Request) => Effect.Effect<Page<A, Next>, E, R>,
  first: NoInfer<Request>,
): Stream.Stream<A, E, R> =>
  Stream.paginateChunkEffect(first, (request: Request) =>
    Effect.map(list(request), ({ items, next }) => [Chunk.unsafeFromArray([...items]), next] as const),
  )

/** Decodes a page size from the values of a query parameter, which must have at most one value. */
export const decodeLimit = (values: ReadonlyArray<string>): Either.Either<number, InvalidParameter> => {
  const [text] = values
  if (text === undefined) return Either.right(pageLimits.default)
  const limit = Number(text)
  const { minimum, maximum } = pageLimits
  return values.length === 1 && /^[0-9]+$/.test(text) && limit >= minimum && limit <= maximum
    ? Either.right(limit)
    : refused("limit", `expected one whole number from ${minimum} to ${maximum}, in digits`, showValues(values))
}

/** Decodes where a page starts from the values of `cursor`. `decode` reads the place that the cursor holds. */
export const decodeStart = <After>(
  decode: (text: string) => Option.Option<After>,
  list: string,
  filter: string,
  values: ReadonlyArray<string>,
): Either.Either<Option.Option<After>, InvalidParameter> => {
  const [cursor] = values
  if (cursor === undefined) return Either.right(Option.none())
  if (values.length > 1) return refused("cursor", "expected one cursor", showValues(values))
  return Either.map(decodeCursor(decode, cursor, list, filter), Option.some)
}

export const showValues = (values: ReadonlyArray<string>): string =>
  values.length === 1 ? showJson(values[0]) : `${values.length} values`
