/** Lists in plain values: queries of plain members, pages that hold the query of the next one. */
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { InvalidParameter } from "../json/invalid-input.js"
import { type Page as DomainPage, pageLimits, type ValuesOf } from "../page.js"
import type { Page, PageQuery } from "./catalogue.js"
import type { Result } from "./result.js"

/** One page: decodes the query as the service decodes the parameters of a URL. */
export const plainPage = <Request, Item, Query extends PageQuery<string>, E, R>(
  decode: (valuesOf: ValuesOf) => Either.Either<Request, InvalidParameter>,
  list: (request: Request) => Effect.Effect<DomainPage<Item, Request>, E, R>,
  query: Query,
): Effect.Effect<Page<Item, Query>, E | InvalidParameter, R> =>
  decode((name) => valuesOf(query, name)).pipe(
    Effect.flatMap(list),
    Effect.map(({ items, next }) => (Option.isNone(next) ? { items } : { items, next: { ...query, cursor: next.value.cursor } })),
  )

const valuesOf = (query: object, name: string): ReadonlyArray<string> => {
  const value = new Map<string, unknown>(Object.entries(query)).get(name)
  if (value === undefined) return []
  // An empty list is refused, because it must not mean every value.
  return Array.isArray(value) && value.length === 0 ? [""] : [value].flat().map(String)
}

/** Every item of a list, page by page. Throws an `Error` whose `cause` is the failure of a page. */
export async function* everyItem<Item, Query extends PageQuery<string>>(
  list: (query: Query) => Promise<Result<Page<Item, Query>, "invalid_parameter" | "storage_unavailable">>,
  filters: Query,
): AsyncGenerator<Item, void, undefined> {
  let next: Query | undefined = { ...filters, limit: pageLimits.maximum, cursor: undefined }
  while (next !== undefined) {
    const page: Awaited<ReturnType<typeof list>> = await list(next)
    if (!page.ok) throw new Error(page.error.message, { cause: page })
    yield* page.value.items
    next = page.value.next
  }
}
