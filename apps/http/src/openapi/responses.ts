/** The operations' responses: one for each status, with an example for each of its codes. */

import type { Content, DescribedResponse, MediaType, Operation, Reference } from "@petstore/core/contract"
import { codesOfEvery, type Description, type ErrorCode, factsOf, type Words } from "@petstore/core/contract"
import { errorExamples } from "./error-examples.js"
import { deprecationHeaders, everywhere, header, rateHeaders, readHeaders, traced } from "./headers.js"

const schema = (name: string): Reference => ({ $ref: `#/components/schemas/${name}` })

export const errorReference = (code: string): Reference => ({ $ref: `#/components/examples/${code}` })

const headersOf: Readonly<Record<number, Readonly<Record<string, Reference>>>> = {
  401: { "WWW-Authenticate": header("Challenge") },
  403: { "WWW-Authenticate": header("ScopeChallenge") },
  429: { "Retry-After": header("RetryAfter") },
  503: { "Retry-After": header("RetryAfter") },
}

const descriptions: Readonly<Record<number, string>> = {
  400: "The request is wrong: the message says what was expected and what came.",
  401: "The API key is missing or not accepted.",
  403: "The API key is read-only.",
  408: "The request did not arrive in time.",
  413: "The body is too large.",
  422: "The idempotency key was used with another body.",
  429: "The key has used up its requests for now, or too many requests wait for changes.",
  431: "The head of the request is too large.",
  500: "The service failed.",
  503: "The database is unavailable, or the service is overloaded.",
}

/** Headers of every failure with this status. A failure of an earlier check has fewer headers. */
const commonHeaders = (status: number): DescribedResponse["headers"] => {
  if (status === 408 || status === 431) return everywhere
  return status === 401 ? traced : { ...traced, ...rateHeaders }
}

export const json = (name: string, examples: MediaType["examples"]): Content => ({
  "application/json": { schema: schema(name), examples },
})

type Responses = Readonly<Record<string, DescribedResponse>>

/** Headers of a success, in addition to those of every response. */
const headersOfSuccess: Readonly<Record<Description["kind"], DescribedResponse["headers"]>> = {
  list: { ...readHeaders, Link: header("NextPage") },
  create: { Location: header("Location"), ETag: header("ETag"), "Idempotent-Replayed": header("IdempotentReplayed") },
  read: readHeaders,
  patch: { ETag: header("ETag") },
  replace: { ETag: header("ETag") },
  action: { ETag: header("ETag") },
  remove: {},
}

/** The successful responses. A read has no body if the client already has the current response. */
const successes = (description: Description, { response, responses }: Words): Responses => {
  const { kind, status, gives } = description
  const headers = { ...traced, ...rateHeaders, ...headersOfSuccess[kind] }
  const success = { description: response, headers, ...(gives !== undefined && { content: json(gives, responses ?? {}) }) }
  if (kind === "replace") {
    return { [status]: success, 201: { ...success, headers: { ...headers, Location: header("Location") } } }
  }
  if (kind !== "list" && kind !== "read") return { [status]: success }
  return { 200: success, 304: { description: "You have the current response: its ETag is the one in If-None-Match.", headers } }
}

/** A status without its own sentence uses the summaries of its codes. */
const failure = (status: number, codes: ReadonlyArray<ErrorCode>): DescribedResponse => ({
  description: descriptions[status] ?? codes.map((code) => errorExamples[code]?.summary).join(" "),
  headers: { ...commonHeaders(status), ...headersOf[status] },
  content: json("Error", Object.fromEntries(codes.map((code) => [code, errorReference(code)]))),
})

/** Codes of responses that are sent before the operation runs. */
const earlier: ReadonlySet<string> = new Set(codesOfEvery.filter((code) => factsOf(code).status < 500))

/** The component's name: that of the group's first code, `PetNotFound`. */
const nameOf = ([first = ""]: ReadonlyArray<string>): string =>
  first.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase())

/** The failures of an operation, with the name under which operations share them. Only those of a deprecated operation differ. */
const failuresOf = ({ codes, deprecation }: Description) => {
  const byStatus = Map.groupBy([...codes, ...codesOfEvery], (code) => factsOf(code).status)
  return [...byStatus].map(([status, group]) => {
    const isShared = deprecation === undefined || group.every((code) => earlier.has(code))
    return { status, response: failure(status, group), shared: isShared ? nameOf(group) : undefined }
  })
}

/** The components to which operations refer. Throws if the same first code stands for different groups of codes. */
export const sharedFailures = (descriptions: Iterable<Description>): Readonly<Record<string, DescribedResponse>> => {
  const found: Record<string, DescribedResponse> = {}
  for (const { response, shared } of [...descriptions].flatMap(failuresOf)) {
    if (shared === undefined) continue
    if (JSON.stringify(found[shared] ?? response) !== JSON.stringify(response))
      throw new Error(`two responses are called ${shared}`)
    found[shared] = response
  }
  return found
}

/** Every response of an operation. A deprecated operation announces its deprecation on its own responses. */
export const responsesOf = (description: Description, words: Words): Operation["responses"] => {
  const own = (response: DescribedResponse): DescribedResponse =>
    description.deprecation === undefined ? response : { ...response, headers: { ...response.headers, ...deprecationHeaders } }
  const failures = failuresOf(description).map(
    ({ status, response, shared }) =>
      [status, shared === undefined ? own(response) : { $ref: `#/components/responses/${shared}` }] as const,
  )
  return {
    ...Object.fromEntries(Object.entries(successes(description, words)).map(([status, response]) => [status, own(response)])),
    ...Object.fromEntries(failures),
  }
}
