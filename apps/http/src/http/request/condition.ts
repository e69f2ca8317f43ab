/** A request's conditions: `If-Match` and `If-None-Match` (RFC 9110 §13.1). */
import type { IncomingMessage } from "node:http"
import { type Condition, InvalidParameter } from "@petstore/core"
import { showJson } from "@petstore/core/internal"
import { Option } from "effect"
import { toHttpError } from "../error-response.js"
import { etagOf, tagsIn } from "../response/entity-tag.js"

const named = { "if-match": "If-Match", "if-none-match": "If-None-Match" } as const

/** Returns a function that tests for a tag, or `undefined` if the header is absent. Throws if it is malformed. */
const testOf = ({ headers }: IncomingMessage, name: keyof typeof named): ((etag: string) => boolean) | undefined => {
  const list = headers[name]
  if (list === undefined) return undefined
  const test = tagsIn(list)
  if (test !== undefined) return test
  throw toHttpError(
    new InvalidParameter({ parameter: named[name], expected: "expected entity tags in quotes, or *", received: showJson(list) }),
  )
}

/** A request's condition, if it has one of the headers. `encode` returns the text from which the tag is computed. */
export const conditionOf = <One>(request: IncomingMessage, encode: (one: One) => string): Condition<One> | undefined => {
  const [isMatch, isOther] = [testOf(request, "if-match"), testOf(request, "if-none-match")]
  if (isMatch === undefined && isOther === undefined) return undefined
  return Option.match({
    onNone: () => isMatch === undefined,
    onSome: (one) => {
      const etag = etagOf(encode(one))
      return isMatch?.(etag) !== false && isOther?.(etag) !== true
    },
  })
}
