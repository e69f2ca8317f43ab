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

/** The same text in one piece. V8 keeps a joined text as its parts, and goes through them each time it is sent. */
export const inOnePiece = (text: string): string => Buffer.from(text, "latin1").toString("latin1")

/** RFC 9112 §4. */
const statusLine = (status: number, phrase = "unknown"): string => inOnePiece(`HTTP/1.1 ${status} ${phrase}\r\n`)

const statusLines = new Map(Object.entries(STATUS_CODES).map(([status, phrase]) => [Number(status), statusLine(+status, phrase)]))

let second = 0
let keptMillis = 0
let ending = ""

/** The end of a head, which all responses of one second share: the date (RFC 9110 §6.6.1), and how long the connection stays open. */
const endingOf = (keepAliveMillis: number): string => {
  const now = Date.now()
  if (now - second >= 1_000 || now < second || keepAliveMillis !== keptMillis) {
    second = now - (now % 1_000)
    keptMillis = keepAliveMillis
    const timeout = `Keep-Alive: timeout=${Math.floor(keepAliveMillis / 1_000)}\r\n`
    const connection = keepAliveMillis === 0 ? "Connection: close\r\n" : `Connection: keep-alive\r\n${timeout}`
    ending = inOnePiece(`Date: ${new Date(now).toUTCString()}\r\n${connection}\r\n`)
  }
  return ending
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
  return `${statusLines.get(status) ?? statusLine(status)}${lines}${endingOf(keepAliveMillis)}`
}
