import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { InvalidParameter } from "../json/invalid-input.js"
import { type Page as DomainPage, pageLimits, type ValuesOf, valuesFrom } from "../page.js"
import type { Page, PageQuery } from "./catalogue.js"
import type { ListFailed } from "./list-failed.js"
import type { Result } from "./result.js"

/** Lists one page. Decodes the query as the service decodes a URL's parameters. */
export const plainPage = <Request, Item, Query extends Omit<PageQuery<string>, "status">, E, R>(
  decode: (valuesOf: ValuesOf) => Either.Either<Request, InvalidParameter>,
  list: (request: Request) => Effect.Effect<DomainPage<Item, Request>, E, R>,
  query: Query,
): Effect.Effect<Page<Item, Query>, E | InvalidParameter, R> =>
  decode((name) => valuesFrom(new Map<string, unknown>(Object.entries(query)).get(name))).pipe(
    Effect.flatMap(list),
    Effect.map(({ items, next, later }) => ({
      items,
      ...(Option.isSome(next) && { next: { ...query, cursor: next.value.cursor } }),
      ...(later !== undefined && { later: { ...query, order: undefined, cursor: later.cursor } }),
    })),
  )

/** What an iteration throws. */
export const listFailed = (cause: ListFailed["cause"]): ListFailed =>
  Object.assign(new Error(cause.error.message, { cause }), { name: "ListFailed" as const, cause })

/** Iterates over every item of a list, page by page. If a page cannot be read, throws a `ListFailed`. */
export async function* everyItem<Item, Query extends PageQuery<string>>(
  list: (query: Query) => Promise<Result<Page<Item, Query>, "invalid_parameter" | "storage_unavailable">>,
  filters: Query,
): AsyncGenerator<Item, void, undefined> {
  let next: Query | undefined = { ...filters, limit: pageLimits.maximum, cursor: undefined }
  while (next !== undefined) {
    const page: Awaited<ReturnType<typeof list>> = await list(next)
    if (!page.ok) throw listFailed(page)
    yield* page.value.items
    next = page.value.next
  }
}
