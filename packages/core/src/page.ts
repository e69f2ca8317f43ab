/** Part of a list: how large it may be, what it holds, and the opaque place where the next one starts. */
import { Chunk, Effect, Either, Option, Stream } from "effect"
import { base62 } from "./base62.js"
import { crc32 } from "./crc32.js"
import { int64FromText } from "./json/int64.js"
import { InvalidParameter } from "./json/invalid-input.js"
import { showJson } from "./json/json.js"

/** The sizes of a page (specification, section 8). */
export const pageLimits = { minimum: 1, maximum: 100, default: 20 } as const

/** One page, and the cursor of the next if there is one. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: Option.Option<string>
}

/** Where a page starts: after which identifier, and in which list under which filter (`""` for none). */
export interface Position {
  readonly list: string
  readonly filter: string
  readonly after: bigint
}

const checksumLength = 6

const shape = new RegExp(`^([0-9A-Za-z]{${checksumLength}})(([a-z]*)_([a-z]*)_(-?[0-9]+))$`)

/**
 * Writes a position as a cursor, which is opaque to callers. Its checksum catches
 * accidents, not forgers: a cursor grants nothing that its bearer may not list anyway.
 */
export const encodeCursor = ({ list, filter, after }: Position): string => {
  const text = `${list}_${filter}_${after}`
  return base62(crc32(text), checksumLength) + text
}

/**
 * Reads a cursor made for the same list and filter. Fails with
 * `InvalidParameter` if it was altered, or made for another list or filter.
 */
export const decodeCursor = (cursor: string, list: string, filter: string): Either.Either<bigint, InvalidParameter> => {
  const [, checksum, text = "", ofList, ofFilter, after = ""] = shape.exec(cursor) ?? []
  const id = int64FromText(after)
  if (Option.isNone(id) || base62(crc32(text), checksumLength) !== checksum) {
    return refused("cursor", "expected a cursor that an earlier page gave", showJson(cursor))
  }
  return ofList === list && ofFilter === filter
    ? Either.right(id.value)
    : refused("cursor", "expected the list and the filter that the cursor was made for", showJson(cursor))
}

const refused = (parameter: string, expected: string, received: string): Either.Either<never, InvalidParameter> =>
  Either.left(new InvalidParameter({ parameter, expected, received }))

/** Which page of a list to answer. */
export interface PageRequest<Status extends string> {
  /** At most this many, 1 to 100. */
  readonly limit: number
  readonly status: Option.Option<Status>
  /** The last identifier of the page before, `None` for the first page. */
  readonly after: Option.Option<bigint>
}

/** How a status filter is written in a cursor. */
const filterOf = (status: Option.Option<string>): string => (Option.isSome(status) ? status.value : "")

/**
 * Makes the decoder of the query parameters `limit`, `status` and `cursor` of a
 * list. It is given every value of a parameter: one that is repeated, empty, out of
 * range or unknown is an `InvalidParameter`; other parameters are not asked for.
 */
export const decodePageRequest =
  <Status extends string>(list: string, statuses: ReadonlyArray<Status>) =>
  (valuesOf: (parameter: string) => ReadonlyArray<string>): Either.Either<PageRequest<Status>, InvalidParameter> => {
    const limit = decodeLimit(valuesOf("limit"))
    if (Either.isLeft(limit)) return Either.left(limit.left)
    const status = decodeStatus(statuses, valuesOf("status"))
    if (Either.isLeft(status)) return Either.left(status.left)
    return Either.map(decodeAfter(list, filterOf(status.right), valuesOf("cursor")), (after) => ({
      limit: limit.right,
      status: status.right,
      after,
    }))
  }

/** The page that answers a request, made of what was found: one more than its limit, if there is more. */
export const pageOf = <A extends { readonly id: bigint }>(
  list: string,
  { limit, status }: PageRequest<string>,
  found: ReadonlyArray<A>,
): Page<A> => {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  const next =
    last !== undefined && found.length > limit
      ? Option.some(encodeCursor({ list, filter: filterOf(status), after: last.id }))
      : Option.none()
  return { items, next }
}

/** How many items {@link streamOf} asks for at once. */
const streamedAtOnce = 100

/** Every item of a list, which answers at most `limit` items after an identifier, read as they are taken. */
export const streamOf = <A extends { readonly id: bigint }, E, R>(
  list: (after: Option.Option<bigint>, limit: number) => Effect.Effect<ReadonlyArray<A>, E, R>,
): Stream.Stream<A, E, R> =>
  Stream.paginateChunkEffect(Option.none<bigint>(), (after) =>
    Effect.map(list(after, streamedAtOnce), (found) => {
      const last = found.length < streamedAtOnce ? undefined : found.at(-1)
      return [Chunk.unsafeFromArray([...found]), Option.map(Option.fromNullable(last), ({ id }) => Option.some(id))] as const
    }),
  )

/**
 * Reads the size of a page from the values a query string gives for it.
 * Decimal digits only, 1 to 100; 20 when there is none; more than one is refused.
 */
export const decodeLimit = (values: ReadonlyArray<string>): Either.Either<number, InvalidParameter> => {
  const [text] = values
  if (text === undefined) return Either.right(pageLimits.default)
  const limit = Number(text)
  const { minimum, maximum } = pageLimits
  return values.length === 1 && /^[0-9]+$/.test(text) && limit >= minimum && limit <= maximum
    ? Either.right(limit)
    : refused("limit", `expected one whole number from ${minimum} to ${maximum}, in digits`, showValues(values))
}

const decodeStatus = <Status extends string>(
  statuses: ReadonlyArray<Status>,
  values: ReadonlyArray<string>,
): Either.Either<Option.Option<Status>, InvalidParameter> => {
  if (values.length === 0) return Either.right(Option.none())
  const status = values.length === 1 ? statuses.find((one) => one === values[0]) : undefined
  return status !== undefined
    ? Either.right(Option.some(status))
    : refused("status", `expected one of ${statuses.join(", ")}`, showValues(values))
}

const decodeAfter = (
  list: string,
  filter: string,
  values: ReadonlyArray<string>,
): Either.Either<Option.Option<bigint>, InvalidParameter> => {
  const [cursor] = values
  if (cursor === undefined) return Either.right(Option.none())
  if (values.length > 1) return refused("cursor", "expected one cursor", showValues(values))
  return Either.map(decodeCursor(cursor, list, filter), Option.some)
}

/** The values given for one parameter, as an error message shows them. */
const showValues = (values: ReadonlyArray<string>): string =>
  values.length === 1 ? showJson(values[0]) : `${values.length} values`
