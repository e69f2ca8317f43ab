/** The `Link` header of a page that is not the last (RFC 8288). */
import type { Filters, PageRequest } from "@petstore/core"
import { Option } from "effect"

/**
 * Relative to the origin, never built from `Host`. The filters stand beside the cursor that was made for them.
 *
 * @param path    of the list: `/v1/pets`
 * @param cursor  of the next page, if there is one
 */
export const nextLink = (
  path: string,
  { limit, status }: PageRequest<string>,
  cursor: Option.Option<string>,
  filters: Filters,
): string | undefined => {
  if (Option.isNone(cursor)) return undefined
  // Digits, a status and the letters of a cursor stand in a query as they are.
  const filter = Option.isSome(status) ? `&status=${status.value}` : ""
  const others = filters.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("")
  return `<${path}?limit=${limit}${filter}${others}&cursor=${cursor.value}>; rel="next"`
}
