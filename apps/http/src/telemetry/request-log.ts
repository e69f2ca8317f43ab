/**
 * One line for each request, of the form of pino's. It is written by hand because there is one for
 * each request, and all but the path is known to need no escape: a line costs a fifth of pino's.
 */
import { hideApiKeys } from "@petstore/core"
import type { ObservedRequest, RequestObserver } from "./request-observer.js"

/** pino's number for `info`. */
const infoLevel = 30

/** A path is not trusted to be short. */
const pathMaximum = 200

/** What may stand in a JSON string, and on a terminal, as it is. */
const plain = /^[ !#-[\]-~]*$/

/** A text of a caller as a JSON string of ASCII, without any API key. */
const quoted = (text: string): string => {
  const shown = hideApiKeys(text).slice(0, pathMaximum)
  return plain.test(shown)
    ? `"${shown}"`
    : JSON.stringify(shown).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

/** The end of a request as a line of JSON, with its line break. */
export const requestLine = (request: ObservedRequest, start: string, timeMillis: number): string => {
  const { requestId, apiKey, operation, method, path, status, durationMillis, bodyBytes, isAnswered, traceId } = request
  const caller = apiKey === undefined ? "" : `"accountId":"${apiKey.accountId}","keyId":"${apiKey.id}",`
  const answer = isAnswered ? `"status":${status},` : ""
  const trace = traceId === undefined ? "" : `"traceId":"${traceId}",`
  const message = isAnswered ? "answered" : "the caller left before the answer"
  const duration = Math.round(durationMillis * 1000) / 1000
  return `{"level":${infoLevel},"time":${timeMillis},${start}"requestId":"${requestId}",${caller}"operation":"${operation}","method":"${method}",${answer}"durationMillis":${duration},"bytes":${bodyBytes},${trace}"path":${quoted(path)},"msg":"${message}"}\n`
}

/**
 * @param write  takes a line
 * @param base   what every line of this process has
 */
export const requestLog = (
  write: (line: string) => void,
  base: { readonly pid: number; readonly hostname: string },
): RequestObserver => {
  const start = `"pid":${base.pid},"hostname":${JSON.stringify(base.hostname)},`
  return { started: () => {}, ended: (request) => write(requestLine(request, start, Date.now())) }
}
