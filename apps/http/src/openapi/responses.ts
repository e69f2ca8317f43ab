/** The operations' responses: one for each status, with an example for each of its codes. */

import type { Content, DescribedResponse, MediaType, Operation, Reference } from "@petstore/core/contract"
import { codesOfEvery, type Description, factsOf, type Words } from "@petstore/core/contract"
import { errorExamples } from "./error-examples.js"
import { deprecationHeaders, header, readHeaders } from "./headers.js"

const schema = (name: string): Reference => ({ $ref: `#/components/schemas/${name}` })

export const errorReference = (code: string): Reference => ({ $ref: `#/components/examples/${code}` })

/** Headers of a failure. Those of every response are described where they are used: the limits with 429, what to report with 500. */
const headersOf: Readonly<Record<number, Readonly<Record<string, Reference>>>> = {
  401: { "WWW-Authenticate": header("Challenge") },
  403: { "WWW-Authenticate": header("ScopeChallenge") },
  429: { "Retry-After": header("RetryAfter"), "RateLimit-Policy": header("RateLimitPolicy"), RateLimit: header("RateLimit") },
  500: { "X-Request-Id": header("RequestId"), traceparent: header("TraceParent") },
  503: { "Retry-After": header("RetryAfter") },
}

const descriptions: Readonly<Record<number, string>> = {
  400: "The request is wrong: the message says what was expected and what came.",
  401: "The API key is missing or not accepted.",
  403: "The API key is read-only.",
  408: "The request did not arrive in time.",
  413: "The body is too large.",
  422: "The idempotency key was used with another body.",
  431: "The head of the request is too large.",
  500: "The service failed.",
  503: "The database is unavailable, or the service is overloaded.",
}

export const json = (name: string, examples: MediaType["examples"]): Content => ({
  "application/json": { schema: schema(name), examples },
})

/** Headers of a success. */
const headersOfSuccess = {
  list: { ...readHeaders, Link: header("NextPage") },
  create: { Location: header("Location"), ETag: header("ETag"), "Idempotent-Replayed": header("IdempotentReplayed") },
  read: readHeaders,
  patch: { ETag: header("ETag") },
  replace: { ETag: header("ETag") },
  action: { ETag: header("ETag") },
  remove: {},
} as const satisfies Readonly<Record<Description["kind"], DescribedResponse["headers"]>>

/** A response of an operation. `shared` is the name under which operations share it, or `undefined` if it is the operation's own. */
interface Described {
  readonly status: number
  readonly response: DescribedResponse
  readonly shared: string | undefined
}

/** A deprecated operation announces its deprecation on its own responses. */
const ownHeaders = ({ deprecation }: Description) => (deprecation === undefined ? {} : deprecationHeaders)

const withHeaders = (
  response: Omit<DescribedResponse, "headers">,
  headers: DescribedResponse["headers"] = {},
): DescribedResponse => (Object.keys(headers).length === 0 ? response : { ...response, headers })

/** The successful responses. A read has no body if the client already has the current response. */
const successesOf = (description: Description, words: Words): ReadonlyArray<Described> => {
  const { kind, status, gives, deprecation } = description
  const content = gives === undefined ? {} : { content: json(gives, words.responses ?? {}) }
  const headers = { ...headersOfSuccess[kind], ...ownHeaders(description) }
  const success = (code: number, more = {}): Described => ({
    status: code,
    response: withHeaders({ description: words.response, ...content }, { ...headers, ...more }),
    shared: undefined,
  })
  if (kind === "replace") return [success(status), success(201, { Location: header("Location") })]
  if (kind !== "list" && kind !== "read") return [success(status)]
  const current = "You have the current response: its ETag is the one in If-None-Match."
  const name = kind === "list" ? "PageNotModified" : "NotModified"
  const notModified = withHeaders({ description: current }, headers)
  return [success(status), { status: 304, response: notModified, shared: deprecation === undefined ? name : undefined }]
}

/** Codes of responses that are sent before the operation runs. */
const earlier: ReadonlySet<string> = new Set(codesOfEvery.filter((code) => factsOf(code).status < 500))

/** The component's name: that of the group's first code, `PetNotFound`. */
const nameOf = ([first = ""]: ReadonlyArray<string>): string =>
  first.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase())

/** The failures. A status without its own sentence uses the summaries of its codes. */
const failuresOf = (operation: Description): ReadonlyArray<Described> => {
  const byStatus = Map.groupBy([...operation.codes, ...codesOfEvery], (code) => factsOf(code).status)
  return [...byStatus].map(([status, codes]) => {
    const isShared = operation.deprecation === undefined || codes.every((code) => earlier.has(code))
    const description = descriptions[status] ?? codes.map((code) => errorExamples[code]?.summary).join(" ")
    const content = json("Error", Object.fromEntries(codes.map((code) => [code, errorReference(code)])))
    const headers = { ...headersOf[status], ...(isShared ? {} : ownHeaders(operation)) }
    return { status, response: withHeaders({ description, content }, headers), shared: isShared ? nameOf(codes) : undefined }
  })
}

/** Every response of an operation. */
export const describedResponses = (description: Description, words: Words): ReadonlyArray<Described> => [
  ...successesOf(description, words),
  ...failuresOf(description),
]

/** The components to which operations refer. Throws if one name stands for different responses. */
export const sharedResponses = (all: Iterable<Described>): Readonly<Record<string, DescribedResponse>> => {
  const found: Record<string, DescribedResponse> = {}
  for (const { response, shared } of all) {
    if (shared === undefined) continue
    if (JSON.stringify(found[shared] ?? response) !== JSON.stringify(response))
      throw new Error(`two responses are called ${shared}`)
    found[shared] = response
  }
  return found
}

/** The responses as an operation lists them. */
export const listed = (all: Iterable<Described>): Operation["responses"] =>
  Object.fromEntries(
    [...all].map(({ status, response, shared }) => [
      status,
      shared === undefined ? response : { $ref: `#/components/responses/${shared}` },
    ]),
  )
