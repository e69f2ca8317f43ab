/** Writes one line per request in pino's format, in a fifth of pino's time, because only the path may need escaping. */
import { redactApiKeys } from "@petstore/core/internal"
import { getOrInsert } from "./get-or-insert.js"
import { logLine, timestampOf } from "./log-line.js"
import type { ObservedRequest, RequestObserver } from "./request-observer.js"

/** Paths are truncated to this length, because they can be long. */
const pathMaximum = 200

/** How many refused credentials have lines of their own in each period of this many ms. Of the others, one line has the number. */
const refusalsShown = 100
const periodMillis = 10_000

/** Characters that need no escape, either in a JSON string or on a terminal. */
const plain = /^[ !#-[\]-~]*$/

/** Text from a client as an ASCII JSON string, without any API key. */
const quoted = (text: string): string => {
  const shown = redactApiKeys(text).slice(0, pathMaximum)
  return plain.test(shown)
    ? `"${shown}"`
    : JSON.stringify(shown).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

const thousandths = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(3, "0"))

/** A duration to the microsecond. V8 takes longer to format a fraction than the rest of the line. */
const shownMillis = (millis: number): string => {
  const micros = Math.round(millis * 1000)
  return `${Math.floor(micros / 1000)}.${thousandths[micros % 1000]}`
}

/** The part that all lines for one client share. */
const callerOf = ({ accountId, id }: NonNullable<ObservedRequest["apiKey"]>): string =>
  `"accountId":"${accountId}","keyId":"${id}",`

/** The part that lines for one operation, method and status share. Node accepts only known methods, so there are few parts. */
const answerOf = ({ operation, method, status, isAnswered }: ObservedRequest): string =>
  `"operation":"${operation}","method":"${method}",${isAnswered ? `"status":${status},` : ""}"durationMillis":`

/**
 * Writes the request lines. Shared parts are joined once, because joining is most of the work for a short line.
 *
 * @param write        accepts a line with its line break
 * @param base         members of every line from this process
 * @param namesClient  whether a line has the client's address
 */
export const requestLog = (
  write: (line: string) => void,
  base: { readonly pid: number; readonly hostname: string },
  namesClient: boolean,
): RequestObserver => {
  const process = `"pid":${base.pid},"hostname":${JSON.stringify(base.hostname)},"requestId":"`
  const callers = new WeakMap<object, string>()
  const responses = new Map<string, Map<string, Map<number, string>>>()
  let millis = 0
  let start = ""
  let latestPath = ""
  let shownPath = quoted("")
  let refusals = 0

  const endPeriod = (): void => {
    const unshown = refusals - refusalsShown
    refusals = 0
    if (unshown > 0) write(logLine("warn", { requests: unshown }, "more requests were refused for their credential"))
  }

  /** Whether a request without a good credential has no line of its own: a flood of them would hide all others. */
  const isOneTooMany = ({ status, isAnswered }: ObservedRequest): boolean => {
    if (status !== 401 || !isAnswered) return false
    if (refusals === 0) setTimeout(endPeriod, periodMillis).unref()
    refusals += 1
    return refusals > refusalsShown
  }

  const shared = (request: ObservedRequest): string => {
    const { operation, method, status, isAnswered } = request
    const ofOperation = getOrInsert(responses, operation, () => new Map<string, Map<number, string>>())
    const ofMethod = getOrInsert(ofOperation, method, () => new Map<number, string>())
    return getOrInsert(ofMethod, isAnswered ? status : 0, () => answerOf(request))
  }

  return {
    started: () => {},
    ended: (request) => {
      if (isOneTooMany(request)) return
      const now = Date.now()
      // Many requests end in the same millisecond.
      if (now !== millis) start = `{"level":"info","time":"${timestampOf(now)}",${process}`
      millis = now
      // Clients that follow a list send the same path again and again.
      if (request.path !== latestPath) shownPath = quoted(request.path)
      latestPath = request.path
      const { requestId, apiKey, method, durationMillis, bodyBytes, isAnswered, traceId, made } = request
      const caller = apiKey === undefined ? '",' : getOrInsert(callers, apiKey, () => `",${callerOf(apiKey)}`)
      const trace = traceId === undefined ? ',"path":' : `,"traceId":"${traceId}","path":`
      const creation = made === undefined ? "" : `,"made":"${made}"`
      const client = namesClient && request.clientAddress !== undefined ? `,"client":"${request.clientAddress}"` : ""
      const end = isAnswered ? ',"msg":"answered"}\n' : ',"msg":"the client disconnected before the response"}\n'
      write(
        `${start}${requestId}${caller}${shared(request)}${shownMillis(durationMillis)},"bytes":${method === "HEAD" ? 0 : bodyBytes}${creation}${client}${trace}${shownPath}${end}`,
      )
    },
  }
}
