import { isErrorCode, passing } from "./advice.js"
import type { Problem } from "./errors.js"
import { decodeJson, members } from "./pet.js"
import type { Fetch, ResponseHeaders, Signal } from "./platform.js"
import { retryAfterMillis, timeUp, within } from "./time.js"

/** A successful response: its headers, and its JSON if it has a body. */
export interface Success {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly json: unknown
}

export interface Request {
  readonly fetch: Fetch
  readonly url: string
  readonly init: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: string }
}

export type Outcome = { readonly success: Success } | { readonly problem: Problem }

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
  { fetch, url, init }: Request,
  timeoutMillis: number,
  outer: Signal | undefined,
): Promise<Outcome> => {
  try {
    return await within(timeoutMillis, outer, async (signal) => {
      // Following a redirect could send the key or a pet to another server. Not every edge runtime supports the value "error".
      const response = await fetch(url, { ...init, signal, redirect: "manual" })
      const bytes = await response.arrayBuffer()
      return readResponse(response, decodeText(bytes))
    })
  } catch (cause) {
    if (outer?.aborted === true) return { problem: aborted(cause) }
    const status = undefined
    if (cause === timeUp) {
      return { problem: { code: "timeout", status, cause: undefined, sentence: "There was no response in time.", retry: true } }
    }
    return { problem: { code: "network", status, cause, sentence: "The connection failed or dropped.", retry: true } }
  }
}

/** Decodes UTF-8. Returns `undefined` for bytes that are not UTF-8. */
const decodeText = (bytes: ArrayBuffer): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const readResponse = ({ status, ok, headers }: Response, text: string | undefined): Outcome => {
  const json = text === undefined ? undefined : decodeJson(text)
  const requestId = headers.get("X-Request-Id")
  const facts = {
    status,
    retry: passing.has(status),
    retryAfterMillis: retryAfterMillis(headers.get("Retry-After"), headers.get("Date")),
    ...(requestId === null ? {} : { requestId }),
  }
  if (ok && (json !== undefined || status === 204)) return { success: { status, headers, json } }
  const { code, message } = members(json)
  if (ok || typeof code !== "string" || typeof message !== "string") {
    return {
      problem: { ...facts, code: "invalid_answer", sentence: `The response (status ${status}) is not from the pet store.` },
    }
  }
  if (!isErrorCode(code)) return { problem: { ...facts, code: "unknown_code", sentence: `${code}: ${message}` } }
  return { problem: { ...facts, code, sentence: message } }
}
