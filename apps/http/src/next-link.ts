/** The `Link` header of a page that is not the last (RFC 8288). */
import type { PageRequest } from "@petstore/core"
import { Option } from "effect"

/**
 * Relative to the origin, never built from `Host`. The filter stands beside the cursor that was made for it.
 *
 * @param path    of the list: `/v1/pets`
 * @param cursor  of the next page, if there is one
 */
export const nextLink = (
  path: string,
  { limit, status }: PageRequest<string>,
  cursor: Option.Option<string>,
): string | undefined => {
  if (Option.isNone(cursor)) return undefined
  const parameters = new URLSearchParams({ limit: String(limit) })
  if (Option.isSome(status)) parameters.set("status", status.value)
  parameters.set("cursor", cursor.value)
  return `<${path}?${parameters}>; rel="next"`
}
