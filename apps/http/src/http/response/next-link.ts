/** The `Link` header of a page that is not the last (RFC 8288). */
import type { Filters, NextRequest, PageRequest } from "@petstore/core"
import { Option } from "effect"

/**
 * Relative to the origin, never built from `Host`. It repeats the filters that the cursor belongs to.
 *
 * @param path  of the list: `/v1/pets`
 * @param next  of the next page, if there is one
 */
export const nextLink = (
  path: string,
  next: Option.Option<NextRequest<PageRequest<string>>>,
  filters: Filters,
): string | undefined => {
  if (Option.isNone(next)) return undefined
  const { limit, status, cursor } = next.value
  // Digits, a status and a cursor need no encoding in a query.
  const filter = Option.isSome(status) ? `&status=${status.value}` : ""
  const others = filters.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("")
  return `<${path}?limit=${limit}${filter}${others}&cursor=${cursor}>; rel="next"`
}
