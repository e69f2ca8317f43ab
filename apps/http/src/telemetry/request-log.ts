/**
 * One line for each request, of the form of pino's. It is written by hand because there is one for
 * each request, and all but the path is known to need no escape: a line costs a fifth of pino's.
 */
import { redactApiKeys } from "@petstore/core/internal"
import { getOrInsert } from "./get-or-insert.js"
import { timestampOf } from "./log-line.js"
import type { ObservedRequest, RequestObserver } from "./request-observer.js"

/** A path is not trusted to be short. */
const pathMaximum = 200

/** What may stand in a JSON string, and on a terminal, as it is. */
const plain = /^[ !#-[\]-~]*$/

/** A text of a client as a JSON string of ASCII, without any API key. */
const quoted = (text: string): string => {
  const shown = redactApiKeys(text).slice(0, pathMaximum)
  return plain.test(shown)
    ? `"${shown}"`
    : JSON.stringify(shown).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

const thousandths = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(3, "0"))

/** A duration to the microsecond. V8 takes longer to write a fraction than to write all the rest of a line. */
const shownMillis = (millis: number): string => {
  const micros = Math.round(millis * 1000)
  return `${Math.floor(micros / 1000)}.${thousandths[micros % 1000]}`
}

/** What the lines of one client share. */
const callerOf = ({ accountId, id }: NonNullable<ObservedRequest["apiKey"]>): string =>
  `"accountId":"${accountId}","keyId":"${id}",`

/** What the lines of one operation, method and status share. Clients cannot make there be many: methods are those that Node knows. */
const answerOf = ({ operation, method, status, isAnswered }: ObservedRequest): string =>
  `"operation":"${operation}","method":"${method}",${isAnswered ? `"status":${status},` : ""}"durationMillis":`

/**
 * Writes the lines of the requests. What many lines share is put together once: of a short line most of the work is to join its parts.
 *
 * @param write  takes a line with its line break
 * @param base   what every line of this process has
 */
export const requestLog = (
  write: (line: string) => void,
  base: { readonly pid: number; readonly hostname: string },
): RequestObserver => {
  const process = `"pid":${base.pid},"hostname":${JSON.stringify(base.hostname)},"requestId":"`
  const callers = new WeakMap<object, string>()
  const answers = new Map<string, Map<string, Map<number, string>>>()
  let millis = 0
  let start = ""

  const shared = (request: ObservedRequest): string => {
    const { operation, method, status, isAnswered } = request
    const ofOperation = getOrInsert(answers, operation, () => new Map<string, Map<number, string>>())
    const ofMethod = getOrInsert(ofOperation, method, () => new Map<number, string>())
    return getOrInsert(ofMethod, isAnswered ? status : 0, () => answerOf(request))
  }

  return {
    started: () => {},
    ended: (request) => {
      const now = Date.now()
      // Many requests end in one millisecond.
      if (now !== millis) start = `{"level":"info","time":"${timestampOf(now)}",${process}`
      millis = now
      const { requestId, apiKey, method, path, durationMillis, bodyBytes, isAnswered, traceId } = request
      const caller = apiKey === undefined ? '",' : getOrInsert(callers, apiKey, () => `",${callerOf(apiKey)}`)
      const trace = traceId === undefined ? ',"path":' : `,"traceId":"${traceId}","path":`
      const end = isAnswered ? ',"msg":"answered"}\n' : ',"msg":"the client disconnected before the response"}\n'
      write(
        `${start}${requestId}${caller}${shared(request)}${shownMillis(durationMillis)},"bytes":${method === "HEAD" ? 0 : bodyBytes}${trace}${quoted(path)}${end}`,
      )
    },
  }
}
