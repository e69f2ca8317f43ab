import type { ResponseHeaders } from "./platform.js"

/**
 * The result of a call: its value, and facts about the response. Plain data, which copies, reactive state and caches may hold:
 * the facts belong to the result, so keep the `etag` beside the value if you change the item later.
 */
export interface Result<Value> {
  readonly value: Value
  /** The response's `ETag`: for one item, the `ifMatch` of its change. `undefined` if the response has no tag. @experimental */
  readonly etag: string | undefined
  /** The call's `X-Request-Id`, which appears in the service's logs. */
  readonly requestId: string
  /** The response's headers, with names in lower case. Web pages see only some of them. */
  readonly headers: Readonly<Record<string, string>>
}

/** Returns headers as plain data. */
export const headersIn = (headers: ResponseHeaders): Record<string, string> => {
  const all: Record<string, string> = {}
  headers.forEach((header, name) => {
    // The headers of some platforms keep the case in which the server sent a name.
    all[name.toLowerCase()] = header
  })
  return all
}

/** @param sentId  the request's `X-Request-Id`, which the service repeats; a proxy may remove it from the response */
export const resultOf = <Value>(value: Value, headers: ResponseHeaders, sentId: string): Result<Value> => ({
  value,
  etag: headers.get("ETag") ?? undefined,
  requestId: headers.get("X-Request-Id") ?? sentId,
  headers: headersIn(headers),
})
