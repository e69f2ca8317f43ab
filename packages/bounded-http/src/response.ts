/** Extends Node's `ServerResponse`: it counts its bytes in its connection's budget, and reports to the connection when it was sent. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { type HeaderList, headersIn, headText } from "./head.js"
import { hasBody, isLast, NodeResponse, setHead } from "./node.js"
import type { Refusal } from "./refusal.js"

/** What a response's connection does for it. */
export interface ResponseConnection {
  readonly keepAliveMillis: number
  /** Called before the response's head is written, while the head can still announce that the connection closes. */
  readonly beforeHead: (response: BoundedResponse) => void
  /** Records how many bytes the response holds or is expected to hold. */
  readonly count: (response: BoundedResponse, bytes: number) => void
  /** Records how many bytes a response has held, for the estimate of later ones. */
  readonly learn: (bytes: number) => void
  /** Counts the work of writing this many bytes. */
  readonly wrote: (bytes: number) => void
  /** Whether the server's budget has room for this many bytes more. */
  readonly hasRoomFor: (bytes: number, share: number) => boolean
}

const lengthIn = (headers: HeaderList): string | undefined => {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === "Content-Length") return headers[at + 1]
  return undefined
}

/** About how many bytes a chunk has. An `end` without a chunk may get a callback first. */
const sizeOfChunk = (chunk: unknown): number => (typeof chunk === "string" || chunk instanceof Uint8Array ? chunk.length : 0)

export class BoundedResponse<Request extends IncomingMessage = IncomingMessage> extends NodeResponse<Request> {
  /** Unset until the connection has accepted the request. */
  boundedBy: ResponseConnection | undefined = undefined
  /** Why the request will be refused. */
  refusal: Refusal | undefined = undefined
  /** Whether the client waits for `100 Continue`. */
  expectsContinue = false
  /** How many bytes the connection counts for this response, and for its request. */
  countedBytes = 0
  requestBytes = 0
  /** The length of the body, if the head has announced it and the body was not written in parts. */
  #length: number | undefined
  #isInParts = false
  #hasContinued = false

  protected override beforeHead(headers: unknown): void {
    // Safe: `writeHead` gets a list of texts, or an object.
    const listed = Array.isArray(headers) ? lengthIn(headers as HeaderList) : undefined
    const length = Number(listed ?? this.getHeader("Content-Length") ?? Number.NaN)
    if (!hasBody(this)) this.#length = 0
    else if (Number.isSafeInteger(length)) this.#length = length
    this.boundedBy?.beforeHead(this)
  }

  override writeContinue(): void {
    this.#hasContinued = true
    super.writeContinue()
  }

  /** Without a length, the response holds what it has not handed to the network. */
  #count(): void {
    if (this.#length === undefined && this.writableFinished) return
    const bytes = this.#length ?? this.writableLength
    this.boundedBy?.learn(bytes)
    this.boundedBy?.count(this, bytes)
  }

  // These are static, because a listener may have given the response another prototype.

  static made(response: object): response is BoundedResponse {
    return #isInParts in response
  }

  /** Returns whether the head was written. Otherwise, Node has to write it. */
  static writeLines(response: BoundedResponse, status: number, lines: string, bytes: number): boolean {
    const { boundedBy } = response
    if (boundedBy === undefined || response.headersSent) return false
    response.statusCode = status
    boundedBy.beforeHead(response)
    // Node adds the headers that other middleware has set.
    if (response.getHeaderNames().length > 0) return false
    // Node closes the connection only after a last response whose head it has written. Without `100 Continue`, a response is one.
    if (isLast(response) || (response.expectsContinue && !response.#hasContinued)) return false
    response.#length = hasBody(response) ? bytes : 0
    setHead(response, headText(status, lines, boundedBy.keepAliveMillis))
    return true
  }

  /** Called repeatedly, because the network takes the parts of a response without another call. */
  static recount(response: BoundedResponse): void {
    if (response.#isInParts) response.boundedBy?.count(response, response.writableLength)
  }

  override write(...given: ReadonlyArray<unknown>): boolean {
    const acceptsMore: boolean = Reflect.apply(super.write, this, given)
    this.#length = undefined
    this.#isInParts = true
    this.#count()
    this.boundedBy?.wrote(sizeOfChunk(given[0]))
    return acceptsMore
  }

  override end(...given: ReadonlyArray<unknown>): this {
    const isFirst = !this.writableEnded
    Reflect.apply(super.end, this, given)
    if (isFirst) {
      this.#count()
      this.boundedBy?.wrote(sizeOfChunk(given[0]))
    }
    return this
  }
}

/**
 * Reserves memory for a response before its length is in its head. Returns whether the server has room for it: if not, respond with
 * 503, or let the client wait. A response that was not made by a bounded server always has room.
 *
 * @param bytes  the length of the body, or the longest that is expected; an eighth of the budget is enough room for any length
 * @param share  the share of the budget that requests of this kind may fill
 */
export const reserve = (response: object, bytes: number, share = 1): boolean => {
  if (!BoundedResponse.made(response) || response.boundedBy === undefined) return true
  const moreBytes = bytes - response.countedBytes
  if (moreBytes < 0) return true
  if (!response.boundedBy.hasRoomFor(moreBytes, share)) return false
  response.boundedBy.count(response, bytes)
  return true
}

/** Takes back what was reserved for a response that has to wait. Reserve memory again before it is sent. */
export const release = (response: object): void => {
  if (BoundedResponse.made(response)) response.boundedBy?.count(response, 0)
}

/**
 * Writes the head of a response with a body of this many bytes, for a listener that was written for this server. It saves a few
 * percent of a short response, because the lines are sent as they are. They have a `Content-Length`, except for a 204 or 304, which
 * must end without a body. They have no `Connection`, `Date`, `Keep-Alive` or `Transfer-Encoding`.
 *
 * @param lines  see `headerLines`
 */
export const writeLines = (response: ServerResponse, status: number, lines: string, bytes: number): void => {
  const isWritten = BoundedResponse.made(response) && BoundedResponse.writeLines(response, status, lines, bytes)
  if (!isWritten) response.writeHead(status, [...headersIn(lines)])
}
