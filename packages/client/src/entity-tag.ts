/** The entity tags of the values that a caller holds. */
import type { AnswerHeaders } from "./platform.js"

const tags = new WeakMap<object, string>()

/**
 * The `ETag` with which the service sent this pet or category, for `ifMatch` of a change. `undefined` for an item of a
 * list, and for a copy.
 *
 * @experimental
 */
export const etagOf = (one: object): string | undefined => tags.get(one)

/** Keeps the `ETag` of a response for its value. */
export const remembered = <A>(one: A, headers: AnswerHeaders): A => {
  const tag = headers.get("ETag")
  if (tag !== null && typeof one === "object" && one !== null) tags.set(one, tag)
  return one
}
