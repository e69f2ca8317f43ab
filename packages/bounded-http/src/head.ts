/** The head of a response (RFC 9112 §2.1) as a single string. */
import { STATUS_CODES } from "./node.js"

/** Headers: alternating names and values. */
export type HeaderList = ReadonlyArray<string>

/** Headers as lines of a head, each with its line break. No name or value may contain another one. */
export const headerLines = (headers: HeaderList): string => {
  let lines = ""
  for (let at = 0; at < headers.length; at += 2) lines += `${headers[at]}: ${headers[at + 1]}\r\n`
  return lines
}

/** The headers in such lines. */
export const headersIn = (lines: string): HeaderList =>
  lines
    .split("\r\n")
    .slice(0, -1)
    .flatMap((line) => {
      const [name = "", ...value] = line.split(": ")
      return [name, value.join(": ")]
    })

/** RFC 9112 §4. */
const statusLine = (status: number): string => `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`

let second = 0
let date = ""

/** The `Date` line of the current second (RFC 9110 §6.6.1), which many responses share. */
const dateLine = (): string => {
  const now = Date.now()
  if (now - second >= 1_000 || now < second) {
    second = now - (now % 1_000)
    date = `Date: ${new Date(now).toUTCString()}\r\n`
  }
  return date
}

let keptMillis = 0
let kept = ""

const connectionLines = (keepAliveMillis: number): string => {
  if (keepAliveMillis === 0) return "Connection: close\r\n"
  if (keepAliveMillis !== keptMillis) {
    keptMillis = keepAliveMillis
    kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMillis / 1_000)}\r\n`
  }
  return kept
}

/** Replaces the text that V8 retains after a match (`RegExp.input`) with an empty string, because it may contain an API key. */
const forgetLastMatch = (): boolean => /^/.test("")

/**
 * The head, including its empty line.
 *
 * @param keepAliveMillis  how long the connection stays open, in ms; 0 if it closes
 */
export const headText = (status: number, lines: string, keepAliveMillis: number): string => {
  // The request has been fully handled before the response's head is written.
  forgetLastMatch()
  return `${statusLine(status)}${lines}${dateLine()}${connectionLines(keepAliveMillis)}\r\n`
}
