import { parseExactJson } from "@petstore/core/exact-json"
import { isErrorCode } from "./advice.js"
import type { Problem } from "./errors.js"
import { passing } from "./facts.js"
import { members } from "./fields.js"
import type { FetchResponse, ResponseHeaders, Signal } from "./platform.js"
import { retryAfterMillis, timeUp, within } from "./time.js"

/** A successful response: its headers, and its JSON if it has a body. */
export interface Success {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly json: unknown
}

/** The problem for a call that the caller's signal ended. */
export const aborted = (cause: unknown): Problem => ({
  code: "aborted",
  status: undefined,
  cause,
  sentence: "The call was aborted.",
  retry: false,
})

/** Sends a request once. Never rejects. */
export const sendOnce = async (
  send: (signal: Signal) => Promise<FetchResponse>,
  timeoutMillis: number,
  outer: Signal | undefined,
): Promise<Success | Problem> => {
  try {
    return await within(timeoutMillis, outer, async (signal) => {
      const response = await send(signal)
      return readResponse(response, decodeJson(await response.arrayBuffer()))
    })
  } catch (cause) {
    if (outer?.aborted === true) return aborted(cause)
    const unanswered = { status: undefined, retry: true }
    if (cause === timeUp) return { ...unanswered, code: "timeout", cause: undefined, sentence: "There was no response in time." }
    return { ...unanswered, code: "network", cause, sentence: "The connection failed or dropped." }
  }
}

/** Decodes JSON in UTF-8. Returns `undefined` for other bytes. */
const decodeJson = (bytes: ArrayBuffer): unknown => {
  try {
    return parseExactJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/** The problem with a response that the client cannot read. */
export const invalidAnswer = (status: number) => ({
  code: "invalid_answer" as const,
  status,
  sentence: `The response (status ${status}) is not one that the pet store sends.`,
  retry: passing.includes(status),
})

const readResponse = ({ status, ok, headers }: FetchResponse, json: unknown): Success | Problem => {
  if (ok && (json !== undefined || status === 204)) return { status, headers, json }
  const requestId = headers.get("X-Request-Id")
  const facts = {
    ...invalidAnswer(status),
    retryAfterMillis: retryAfterMillis(headers.get("Retry-After"), headers.get("Date")),
    ...(requestId !== null && { requestId }),
  }
  const { code, message } = members(json)
  if (ok || typeof code !== "string" || typeof message !== "string") return facts
  return isErrorCode(code)
    ? { ...facts, code, sentence: message }
    : { ...facts, code: "unknown_code", sentence: `${code}: ${message}` }
}
