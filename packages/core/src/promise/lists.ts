/** Lists in plain values: queries of plain members, pages that hold the query of the next one. */
import { Effect, type Either, Option } from "effect"
import type { InvalidParameter } from "../json/invalid-input.js"
import { type Page as DomainPage, pageLimits } from "../page.js"
import type { Page, PageQuery, StatusQuery } from "./catalogue.js"
import type { Result } from "./result.js"

/** One page: decodes the query as the service decodes the parameters of a URL. */
export const plainPage = <Request, Item, Status extends string, E, R>(
  decode: (valuesOf: (parameter: string) => ReadonlyArray<string>) => Either.Either<Request, InvalidParameter>,
  list: (request: Request) => Effect.Effect<DomainPage<Item>, E, R>,
  query: PageQuery<Status>,
): Effect.Effect<Page<Item, Status>, E | InvalidParameter, R> =>
  decode((name) => valuesOf(query, name)).pipe(
    Effect.flatMap(list),
    Effect.map(({ items, next }) => (Option.isNone(next) ? { items } : { items, next: { ...query, cursor: next.value } })),
  )

const valuesOf = ({ status, limit, cursor }: PageQuery<string>, name: string): ReadonlyArray<string> => {
  const value = new Map<string, unknown>(Object.entries({ status, limit, cursor })).get(name)
  return value === undefined ? [] : [String(value)]
}

/** Every item of a list, page by page. Throws an `Error` whose `cause` is the failure of a page. */
export async function* everyItem<Item, Status extends string>(
  list: (query: PageQuery<Status>) => Promise<Result<Page<Item, Status>, "invalid_parameter" | "storage_unavailable">>,
  { status }: StatusQuery<Status> = {},
): AsyncGenerator<Item, void, undefined> {
  let next: PageQuery<Status> | undefined = { status, limit: pageLimits.maximum }
  while (next !== undefined) {
    const page: Awaited<ReturnType<typeof list>> = await list(next)
    if (!page.ok) throw new Error(page.error.message, { cause: page })
    yield* page.value.items
    next = page.value.next
  }
}
