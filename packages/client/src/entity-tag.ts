import type { ResponseHeaders } from "./platform.js"

const tags = new WeakMap<object, string>()

/**
 * Returns the `ETag` that arrived with this pet or category, for the `ifMatch` of a change. Returns `undefined` for an item from
 * a list, for a copy of an object, and if a proxy removed the `ETag`.
 *
 * @experimental
 */
export const etagOf = (one: object): string | undefined => tags.get(one)

/** Remembers a response's `ETag` for its value, and returns the value. */
export const remembered = <A>(one: A, headers: ResponseHeaders): A => {
  const tag = headers.get("ETag")
  if (tag !== null && typeof one === "object" && one !== null) tags.set(one, tag)
  return one
}
