/** Answers of the operations: one for each status, with an example for each code that comes with it. */
import { type ErrorCode, errorStatuses } from "@petstore/core/contract"
import type { Example, MediaType, Reference, Response } from "@petstore/docs/contract"
import { errorExamples } from "./error-guide.js"
import { everywhere, header, rateHeaders, readHeaders, traced } from "./headers.js"

export const schema = (name: string): Reference => ({ $ref: `#/components/schemas/${name}` })

/** A reference to the example of a code. */
export const errorReference = (code: string): Reference => ({ $ref: `#/components/examples/${code}` })

const headersOf: Readonly<Record<number, Readonly<Record<string, Reference>>>> = {
  401: { "WWW-Authenticate": header("Challenge") },
  429: { "Retry-After": header("RetryAfter") },
  503: { "Retry-After": header("RetryAfter") },
}

const descriptions: Readonly<Record<number, string>> = {
  400: "The request is wrong: the message says what was expected and what came.",
  401: "The API key is missing or not accepted.",
  408: "The request did not arrive in time.",
  413: "The body is too large.",
  422: "The idempotency key was used with another body.",
  429: "The key has used up its requests for now.",
  431: "The head of the request is too large.",
  500: "The service failed.",
  503: "The store does not answer.",
}

/** Headers of every failure of a status: the earlier it is given, the fewer. */
const commonHeaders = (status: number): Response["headers"] => {
  if (status === 408 || status === 431) return everywhere
  return status === 401 ? traced : { ...traced, ...rateHeaders }
}

/** JSON of a schema, with its examples. */
export const json = (name: string, examples: MediaType["examples"]): { readonly "application/json": MediaType } => ({
  "application/json": { schema: schema(name), examples },
})

/** A success: its headers beside those of every answer, its body and examples of it. */
export const success = (
  description: string,
  name: string,
  examples: Readonly<Record<string, Example>>,
  headers: Response["headers"] = {},
): Response => ({ description, headers: { ...traced, ...rateHeaders, ...headers }, content: json(name, examples) })

/** A read that succeeds: whole, or without a body for a caller who has it already. */
export const read = (
  description: string,
  name: string,
  examples: Readonly<Record<string, Example>>,
  headers: Response["headers"] = {},
): Readonly<Record<string, Response>> => ({
  200: success(description, name, examples, { ...readHeaders, ...headers }),
  304: {
    description: "You have the current answer: its ETag is the one in If-None-Match.",
    headers: { ...traced, ...rateHeaders, ...readHeaders, ...headers },
  },
})

const failure = (status: number, codes: ReadonlyArray<ErrorCode>): Response => ({
  // What is not said of the status is said of its codes.
  description: descriptions[status] ?? codes.map((code) => errorExamples[code]?.summary).join(" Or: "),
  headers: { ...commonHeaders(status), ...headersOf[status] },
  content: json("Error", Object.fromEntries(codes.map((code) => [code, errorReference(code)]))),
})

/** The failures an operation answers, by status, from every code it can answer. */
export const failures = (codes: ReadonlyArray<ErrorCode>): Readonly<Record<string, Response>> => {
  const byStatus = Map.groupBy(codes, (code) => errorStatuses[code])
  return Object.fromEntries([...byStatus].map(([status, group]) => [String(status), failure(status, group)]))
}

/** Codes of answers that are given before an operation has its turn. */
const earlier: ReadonlyArray<ErrorCode> = [
  "malformed_request",
  "missing_credential",
  "invalid_credential",
  "request_timeout",
  "rate_limited",
  "headers_too_large",
]

/** What any request under `/v1` can meet. */
export const anywhere: ReadonlyArray<ErrorCode> = [...earlier, "internal_error", "storage_unavailable"]

/** Whether the operation itself gives an answer of this status, and not only what stands before it. */
export const isOwn = ({ content }: Response): boolean =>
  content === undefined ||
  Object.keys(content["application/json"].examples).some((name) => !earlier.some((code) => code === name))

/** What a request that creates something can meet besides. */
export const creating: ReadonlyArray<ErrorCode> = [
  "invalid_parameter",
  "invalid_json",
  "invalid_body",
  "unsupported_content_type",
  ...anywhere,
  "body_too_large",
  "idempotency_key_reused",
]
