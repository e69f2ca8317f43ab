/** The `Link` header of a page that is not the last (RFC 8288). */
import type { Filters, NextRequest, PageRequest } from "@petstore/core"
import { Option } from "effect"

/** The link is relative to the origin, never built from `Host`. It repeats the filters to which the cursor belongs. */
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
