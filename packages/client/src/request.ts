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

const unanswered = (code: "network" | "timeout" | "aborted", sentence: string, cause: unknown): Problem => ({
  code,
  status: undefined,
  cause,
  sentence,
  retry: code !== "aborted",
})

/** The problem for a call that the caller's signal ended. */
export const aborted = (cause: unknown): Problem => unanswered("aborted", "The call was aborted.", cause)

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
    return cause === timeUp
      ? unanswered("timeout", "There was no response in time.", undefined)
      : unanswered("network", "The connection failed or dropped.", cause)
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
  sentence: `The response (status ${status}) is not from the pet store.`,
  retry: passing.includes(status),
})

const readResponse = ({ status, ok, headers }: FetchResponse, json: unknown): Success | Problem => {
  if (ok && (json !== undefined || status === 204)) return { status, headers, json }
  const facts = {
    ...invalidAnswer(status),
    retryAfterMillis: retryAfterMillis(headers.get("Retry-After"), headers.get("Date")),
    requestId: headers.get("X-Request-Id") ?? undefined,
  }
  const { code, message } = members(json)
  if (ok || typeof code !== "string" || typeof message !== "string") return facts
  return isErrorCode(code)
    ? { ...facts, code, sentence: message }
    : { ...facts, code: "unknown_code", sentence: `${code}: ${message}` }
}
