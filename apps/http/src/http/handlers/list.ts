/** `GET` of a list, which returns one page (specification, section 8). */
import type { Filters, NextRequest, Page, PageRequest } from "@petstore/core"
import { type ListUseCase, queryParameterNames, type RequestFailure } from "@petstore/core/contract"
import { Either, Option } from "effect"
import { toHttpError } from "../error-response.js"
import type { Handler } from "../exchange.js"
import type { Parts, Served, Services } from "../operation.js"
import { parametersOf } from "../request/target.js"
import type { ReadPage } from "../response/page-cache.js"
import { readResponse } from "../response/read-response.js"
import { andThen } from "../run.js"

type Next = NextRequest<PageRequest<string, unknown>>

/** A link to another page (RFC 8288), relative to the origin, never built from `Host`, with the cursor's filters. */
const linkTo = (rel: "next" | "monitor", path: string, { limit, status, cursor }: Next, filters: Filters): string => {
  // Digits, a status and a cursor need no encoding in a query.
  const filter = Option.isSome(status) ? `&status=${status.value}` : ""
  const others = filters.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("")
  return `<${path}?limit=${limit}${filter}${others}&cursor=${cursor}>; rel="${rel}"`
}

/** The `Link` header. RFC 5989 §3.1 registered `monitor` for what tells of later changes. */
const linkOf = <Request extends PageRequest<string, unknown>>(
  path: string,
  { next, later }: Page<unknown, Request>,
  filters: (request: Request) => Filters,
): string | undefined => {
  const links = [
    ...Option.match(next, { onNone: () => [], onSome: (one) => [linkTo("next", path, one, filters(one))] }),
    ...(later === undefined ? [] : [linkTo("monitor", path, later, filters(later))]),
  ]
  return links.length === 0 ? undefined : links.join(", ")
}

export const pageReader =
  <Request extends PageRequest<string, unknown>, Item>(
    { path, parameters: names }: Served,
    { decode, run: list, encode, filters }: ListUseCase<Request, Item, RequestFailure, Services>,
  ) =>
  ({ run, pathPrefix }: Parts): ReadPage => {
    const known = queryParameterNames(names)
    return (exchange) => {
      const valuesOf = Either.getOrThrowWith(parametersOf(exchange.querystring, known), toHttpError)
      const request = Either.getOrThrowWith(decode(valuesOf), toHttpError)
      const filtered = filters(request)
      /** Whether the request asks for exactly one item, by its identifier. */
      const isOfOne = (): boolean =>
        filtered.length === 1 && known.every((name) => valuesOf(name).length === (name === "id" ? 1 : 0))
      return andThen(run(list(request)), (page) => {
        const { items, next } = page
        const [item] = items
        const body = encode(items)
        return {
          // A list of one pet by its identifier has the pet's own entity tag, computed from the JSON without brackets.
          answer: readResponse(
            body,
            linkOf(pathPrefix + path, page, filters),
            item !== undefined && isOfOne() ? body.slice(1, -1) : body,
          ),
          isSettled: Option.isSome(next) && !filtered.some(([name]) => name === "order"),
          isEmpty: item === undefined,
        }
      })
    }
  }

/** Responds with the page that `readPage` reads. */
export const answering = (readPage: ReadPage, { readTogether, sendRead }: Parts): Handler =>
  readTogether((exchange) => andThen(readPage(exchange), ({ answer }) => sendRead(exchange, answer)))

export const listing =
  <Request extends PageRequest<string, unknown>, Item>(
    served: Served,
    useCase: ListUseCase<Request, Item, RequestFailure, Services>,
  ) =>
  (parts: Parts): Handler =>
    answering(pageReader(served, useCase)(parts), parts)
