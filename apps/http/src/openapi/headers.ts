/**
 * The response headers in the contract. The headers of HTTP framing (`Date`, `Content-Length`, `Connection`) are left out.
 *
 * The headers of every response say so themselves. OpenAPI cannot say it once for all responses, and 50 times would be 12 kB.
 */

import type { Header, Reference } from "@petstore/core/contract"
import { basePath, getPetDeprecation, operations } from "@petstore/core/contract"

const text = { type: "string" }

const constant = (description: string, value: string) => ({ description, schema: { ...text, const: value }, example: value })

const collections = Object.values(operations).flatMap(({ kind, path }) =>
  kind === "create" || kind === "replace" ? [path.slice(1).replace(/\/\{.*/, "")] : [],
)

const unlimited = "Absent where the deployment sets no limit, and before the key is accepted."

/** The components, by their name in references. */
export const headers = {
  RequestId: {
    "x-on-every-response": "X-Request-Id",
    description: "Identifies the request in our log: the caller's own if it is well formed, else one of ours.",
    required: true,
    schema: { ...text, pattern: "^[A-Za-z0-9._-]{1,128}$" },
    example: "1b4e28ba-2fa1-41d2-883f-0016d3cca427",
  },
  TraceParent: {
    "x-on-every-response": "traceparent",
    description: "Trace Context (W3C) of the request, on responses to requests that have one and were read.",
    schema: { ...text, pattern: "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$" },
    example: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  },
  NextPage: {
    description:
      "The next page, relative to the origin (RFC 8288). Absent on the last page. The newest changes also have a link to later ones, `monitor`.",
    schema: {
      ...text,
      pattern: '^<(?:/[^/>?]+)*/v1/[^>]*>; rel="(?:next|monitor)"(?:, <(?:/[^/>?]+)*/v1/[^>]*>; rel="monitor")?$',
    },
    example: '</v1/pets?limit=20&status=available&cursor=1B4LL5pets_available_9007199254740993>; rel="next"',
  },
  Location: {
    description: "The path of what was added, relative to the origin.",
    required: true,
    schema: { ...text, pattern: `^(?:/[^/]+)*${basePath}/(?:${collections.join("|")})/-?[0-9]+$` },
    example: "/v1/pets/1",
  },
  ETag: {
    description: "Strong validator of the response: send it back in If-None-Match (RFC 9110 section 8.8.3).",
    required: true,
    schema: { ...text, pattern: '^"[A-Za-z0-9_-]+"$' },
    example: '"9Xk1cBvUq0yC7hJmTf2w3a"',
  },
  IdempotentReplayed: constant(
    "The response of an earlier request with the same Idempotency-Key. Absent if this request created it.",
    "true",
  ),
  CacheControl: {
    description: "Private to the caller, and to be revalidated before each use (RFC 9111 section 5.2.2).",
    required: true,
    schema: { ...text, const: "private, no-cache" },
    example: "private, no-cache",
  },
  Challenge: {
    description: "How to authenticate (RFC 6750 section 3). With an error if a credential was sent and refused.",
    required: true,
    schema: { ...text, enum: ['Bearer realm="petstore"', 'Bearer realm="petstore", error="invalid_token"'] },
    example: 'Bearer realm="petstore", error="invalid_token"',
  },
  ScopeChallenge: {
    description: "What the API key lacks (RFC 6750 section 3.1).",
    required: true,
    schema: { ...text, enum: ['Bearer realm="petstore", error="insufficient_scope"'] },
    example: 'Bearer realm="petstore", error="insufficient_scope"',
  },
  RetryAfter: {
    description: "After how many seconds to try again (RFC 9110 section 10.2.3).",
    required: true,
    schema: { ...text, pattern: "^[0-9]+$" },
    example: "1",
  },
  RateLimitPolicy: {
    "x-on-every-response": "RateLimit-Policy",
    description: `How many requests (q) a key may send in how many seconds (w). ${unlimited}`,
    schema: { ...text, pattern: '^"key";q=[0-9]+;w=[0-9]+$' },
    example: '"key";q=600;w=60',
  },
  RateLimit: {
    "x-on-every-response": "RateLimit",
    description: `How many requests the key has left (r), and after how many seconds it has all of them again (t). ${unlimited}`,
    schema: { ...text, pattern: '^"key";r=[0-9]+;t=[0-9]+$' },
    example: '"key";r=598;t=42',
  },
  Deprecation: constant("Since when the operation is deprecated (RFC 9745).", getPetDeprecation.deprecation),
  Sunset: constant("When the operation is to be removed (RFC 8594).", getPetDeprecation.sunset),
  Successor: {
    description: "What replaces the operation (RFC 8288).",
    schema: { ...text, pattern: `^<(?:/[^/>]+)*${getPetDeprecation.successor}>; rel="successor-version"$` },
    example: `<${getPetDeprecation.successor}>; rel="successor-version"`,
  },
} as const satisfies Readonly<Record<string, Header>>

export const header = (name: keyof typeof headers): Reference => ({ $ref: `#/components/headers/${name}` })

/** Headers of every response to a successful read (specification, section 11). */
export const readHeaders = { ETag: header("ETag"), "Cache-Control": header("CacheControl") }

/** Headers of every response that getPet itself sends (specification, sentence 4.3.9). */
export const deprecationHeaders = {
  Deprecation: header("Deprecation"),
  Sunset: header("Sunset"),
  Link: header("Successor"),
}
