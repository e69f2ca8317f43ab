/**
 * Each request gets one response, in request order. The service must not execute a request after `Connection: close`, a refusal
 * or a malformed head. Only a client that disconnected or stalled may miss the response to an executed request. For all other
 * clients, the stored pets are exactly the acknowledged pets.
 */

import { messageOf } from "@petstore/harness/error-text"
import { members } from "@petstore/harness/exact-json"
import type { Head, WireResponse } from "@petstore/harness/response"
import { checkResponse } from "../contract.ts"
import { type Message, writeMessage } from "./message.ts"
import type { Conversation, Signal } from "./scenario.ts"

/** How a connection ended: by the service, after a timeout, before it was opened, or by the client. */
export type End = "closed" | "reset" | "hangs" | "not connected" | "left"

export interface Seen {
  readonly responses: ReadonlyArray<WireResponse>
  /** Bytes after the last complete response. */
  readonly rest: Buffer
  /** Why the bytes are not valid responses. */
  readonly problem: string | undefined
  readonly end: End
}

export interface Script {
  /** The messages, first to last. `undefined` stands for malformed bytes, after which message boundaries are unknown. */
  readonly messages: ReadonlyArray<Message | undefined>
  /** How many of the messages are sent completely. */
  readonly whole: number
  readonly bytes: Buffer
  /** The number of expected responses: one per message, even a partial one, until one is malformed or closes the connection. */
  readonly due: number
  /** The number of complete messages that may run: up to one that ends the connection, unless malformed bytes come first. */
  readonly mayRun: number
  /** The method of the request that a response belongs to. */
  readonly methodOf: (index: number, response: Pick<Head, "status" | "headers">) => string
  /** Whether the service closes the connection after these messages. */
  readonly endsItself: boolean
}

/** Encodes a conversation. `mark` becomes part of every pet name and every request identifier. */
export const scriptOf = (conversation: Conversation, host: string, key: string, mark: string): Script => {
  const written = conversation.messages.map((sent, index) => {
    if (typeof sent !== "string") return { message: undefined, bytes: Buffer.from(sent) }
    const message = writeMessage(sent, { host, key, name: `${mark}-${index + 1}` })
    return { message, bytes: message.bytes }
  })
  const all = Buffer.concat(written.map(({ bytes }) => bytes))
  const bytes = all.subarray(0, Math.ceil(conversation.share * all.length))
  let whole = 0
  let rest = bytes
  for (const { bytes: part } of written) {
    if (part.length > rest.length) break
    rest = rest.subarray(part.length)
    whole += 1
  }
  const messages = written.map(({ message }) => message)
  const complete = messages.slice(0, whole)
  /** The index of the first complete message that is malformed or closes the connection. */
  const stop = complete.findIndex((message) => message === undefined || message.afterwards === "ends")
  const ends = stop >= 0 && complete[stop] !== undefined
  // The start of an incomplete message is recognised after any empty lines.
  const started = /[^\r\n]/.test(rest.toString("latin1")) ? whole + 1 : whole
  const methods = new Map(messages.flatMap((message) => (message?.requestId ? [[message.requestId, message.method]] : [])))
  const idOf = (headers: Head["headers"]): string => headers.find(([name]) => name.toLowerCase() === "x-request-id")?.[1] ?? ""
  return {
    messages,
    whole,
    bytes,
    due: ends ? stop + 1 : stop < 0 ? started : stop,
    mayRun: ends ? stop + 1 : whole,
    methodOf: (index, { status, headers }) =>
      methods.get(idOf(headers)) ?? (status >= 400 ? undefined : messages[index]?.method) ?? "GET",
    endsItself: complete.some((message) => message?.afterwards === "ends"),
  }
}

/** The faults, and the pets that must or may exist. */
interface WireFindings {
  readonly findings: ReadonlyArray<string>
  /** Names of acknowledged pets. Each of them must be stored. */
  readonly acknowledged: ReadonlySet<string>
  /** Names of pets that may be stored without a response, because the client disconnected or stalled. */
  readonly unanswered: ReadonlySet<string>
}

/** A string member of a response's body, or why it is missing. */
const textOf = (response: WireResponse, member: "code" | "name"): string => {
  try {
    const text = members(response.json)?.[member]
    return typeof text === "string" ? text : `missing ${member}`
  } catch {
    return "not JSON"
  }
}

/** A response in a few words: `400 malformed_request`. */
export const inWords = (response: WireResponse): string =>
  response.status >= 400 && response.body.length > 0 ? `${response.status} ${textOf(response, "code")}` : String(response.status)

/** The allowed responses to an incomplete message. */
const refusals: ReadonlySet<string> = new Set(["malformed_request", "headers_too_large", "request_timeout"])

/** How a single response violates the contract, if it does. */
const ownFault = (response: WireResponse, method: string): string | undefined => {
  try {
    checkResponse(response, method)
    return undefined
  } catch (cause) {
    return messageOf(cause).split("\n")[0]
  }
}

/** Checks what the caller observed in a conversation. `signal` is the signal that the service received, if any. */
export const checkConversation = (
  { ending }: Conversation,
  script: Script,
  { responses, rest, problem, end }: Seen,
  signal: Signal["name"] | undefined,
): WireFindings => {
  const { messages, whole, due } = script
  const findings: Array<string> = []
  const acknowledged = new Set<string>()
  const stays = ending.kind === "when answered" || ending.kind === "half-close"
  const isStopping = signal === "SIGTERM"
  /** Whether a response announced that the connection will close, or should have announced it. */
  let isLast = false
  /** Whether the check no longer knows which request a response belongs to. */
  let isBlurred = false

  const check = (response: WireResponse, index: number): void => {
    const message = messages[index]
    const said = inWords(response)
    if (response.status === 201) acknowledged.add(textOf(response, "name"))
    if (isLast) findings.push(`a response (${said}) after the one that closed the connection`)
    const hasStopped = isStopping && textOf(response, "code") === "service_stopping"
    const fault = hasStopped ? undefined : ownFault(response, script.methodOf(index, response))
    if (fault !== undefined) findings.push(`response ${index + 1} (${said}) violates the contract: ${fault}`)
    isBlurred ||= index < messages.length && message === undefined
    if (isBlurred) {
      isLast ||= response.isLast
      return
    }
    if (message === undefined) {
      findings.push(`a surplus response (${said})`)
      return
    }
    const isWhole = index < whole
    const isOwn = message.responses.some((expected) => said === String(expected) || textOf(response, "code") === expected)
    const isAllowed = isOwn || hasStopped || (!isWhole && refusals.has(textOf(response, "code")))
    if (!isAllowed) findings.push(`request ${index + 1}: expected ${message.responses.join(" or ")}, got ${said}`)
    if (isOwn && !isWhole && message.creates !== undefined && response.status === 201)
      findings.push(`request ${index + 1}: created a pet, although only part of the request was sent`)
    if (isOwn && response.status === 201 && textOf(response, "name") !== message.creates)
      findings.push(`request ${index + 1}: the response contains a different pet, ${textOf(response, "name")}`)
    if (isOwn && isWhole && message.requestId !== undefined && response.header("x-request-id") !== message.requestId)
      findings.push(`request ${index + 1}: the response has the wrong X-Request-Id, ${response.header("x-request-id")}`)
    if (response.interim.some((status) => status !== 100 || message.expectsContinue !== true))
      findings.push(`request ${index + 1}: got ${response.interim.join()} before the response`)
    if (response.isLast) {
      if (isAllowed && isWhole && message.afterwards === "stays" && signal === undefined)
        findings.push(`request ${index + 1}: the response (${said}) closes the connection without a reason`)
    } else if (message.afterwards === "ends" && isWhole && isOwn)
      findings.push(`request ${index + 1}: the response (${said}) does not contain Connection: close`)
    isLast ||= response.isLast || message.afterwards === "ends"
  }

  responses.forEach(check)
  if (problem !== undefined) findings.push(`the received bytes are not HTTP: ${problem}`)
  if (end === "hangs") findings.push(`the connection hangs after ${responses.length} of ${due} responses`)
  if (stays && !isStopping) {
    if (end === "not connected") findings.push("the connection was refused")
    else if (!isLast && responses.length < due)
      findings.push(`request ${responses.length + 1} of ${due} did not get a response: the connection was ${end}`)
    if (rest.length > 0 && problem === undefined) findings.push(`a response was truncated: the connection was ${end}`)
  }

  const unanswered = messages
    .slice(0, stays || isLast ? 0 : script.mayRun)
    .flatMap((message) => (message?.creates === undefined || acknowledged.has(message.creates) ? [] : [message.creates]))
  return { findings, acknowledged, unanswered: new Set(unanswered) }
}

/**
 * Checks the names of the pets that have been stored since the previous check.
 *
 * @param mayTurnUp  pets of clients that disconnected or stalled, in this scenario or an earlier one. Each may appear once, and
 * is then removed from the set.
 * @param mark       the beginning of the names in this scenario
 */
export const checkKept = (
  kept: ReadonlyArray<string>,
  outcomes: ReadonlyArray<Pick<WireFindings, "acknowledged" | "unanswered">>,
  mayTurnUp: Set<string>,
  mark: string,
): ReadonlyArray<string> => {
  const acknowledged = new Set(outcomes.flatMap((outcome) => [...outcome.acknowledged]))
  for (const { unanswered } of outcomes) for (const name of unanswered) mayTurnUp.add(name)
  const findings: Array<string> = []
  const seen = new Set<string>()
  for (const name of kept) {
    const whose = name.startsWith(mark) ? name : `${name}, from an earlier scenario,`
    if (seen.has(name)) findings.push(`${whose} is stored twice`)
    else if (!acknowledged.has(name) && !mayTurnUp.delete(name)) findings.push(`${whose} is stored without a response`)
    seen.add(name)
  }
  for (const name of acknowledged) if (!seen.has(name)) findings.push(`${name} was acknowledged but is not stored`)
  return findings
}
