/** The target of a request line (RFC 9112 §3.2), parsed once into path and query. */
import { InvalidParameter, type ValuesOf } from "@petstore/core"
import { checkParameterNames, showJson } from "@petstore/core/internal"
import { Either } from "effect"

/** The path as sent, not decoded, and the query without its question mark. */
interface Target {
  readonly path: string
  readonly query: string
}

/** `http://host:port`, without user information, which RFC 9110 §4.2.4 lets a server refuse. The host follows RFC 3986 §3.2.2. */
const origin = /^https?:\/\/(?:[A-Za-z0-9\-._~!$&'()*+,;=%]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?(?=[/?#]|$)/i

/** Splits the part after the origin. A fragment is not meant for servers, so it is dropped. */
const split = (reference: string): Target => {
  const fragment = reference.indexOf("#")
  const whole = fragment === -1 ? reference : reference.slice(0, fragment)
  const mark = whole.indexOf("?")
  return mark === -1 ? { path: whole, query: "" } : { path: whole.slice(0, mark), query: whole.slice(mark + 1) }
}

/**
 * Decodes a target in origin form, absolute form or asterisk form. Returns `undefined` for any other form.
 *
 * @example decodeTarget("/v1/pets?limit=3") // { path: "/v1/pets", query: "limit=3" }
 * @example decodeTarget("http://pets.example?a") // { path: "/", query: "a" }
 */
export const decodeTarget = (target: string): Target | undefined => {
  if (target.startsWith("/")) return split(target)
  if (target === "*") return { path: "*", query: "" }
  const { length } = origin.exec(target)?.[0] ?? ""
  if (length === 0) return undefined
  const { path, query } = split(target.slice(length))
  // RFC 9110 §4.2.3: an empty path is the same as "/".
  return { path: path === "" ? "/" : path, query }
}

/** Percent-decodes a text. Returns `undefined` if it is not percent-encoded UTF-8. */
export const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Percent-decodes the parameters of a query. Fails for a known parameter that is not UTF-8, and for one in another spelling.
 * Unknown parameters are ignored.
 */
export const parametersOf = (query: string, known: ReadonlyArray<string>): Either.Either<ValuesOf, InvalidParameter> => {
  // Adds a question mark for `URLSearchParams` to drop. The query's own first question mark is part of a name.
  const parameters = new URLSearchParams(`?${query}`)
  if (query.includes("%") && decoded(query) === undefined) {
    for (const part of query.split("&").filter((text) => decoded(text) === undefined)) {
      const [name = ""] = new URLSearchParams(`?${part}`).keys()
      const received = showJson(part.slice(part.indexOf("=") + 1))
      if (known.includes(name))
        return Either.left(new InvalidParameter({ parameter: name, expected: "expected percent-encoded UTF-8", received }))
    }
  }
  return Either.map(checkParameterNames([...parameters.keys()], known), () => (name: string) => parameters.getAll(name))
}
