/** Counts the bytes of a head that has not arrived completely. The parser only tells how many bytes it has parsed. */
import type { IncomingMessage } from "node:http"
import { headBytes } from "./refusal.js"

/** If fewer bytes than this follow a request, they may be white space that belongs to its head. */
const spaceBytes = 512

/** The size of a request's body on the wire: infinite if the body itself marks its end. */
export const bodyBytes = ({ headers }: IncomingMessage): number =>
  headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : Number.POSITIVE_INFINITY

export class UnfinishedHead {
  /** Bytes after the last request and its body. Negative while a body arrives. */
  #bytes = 0
  #hasTaken = false

  /** Called when the parser has found a request's head of this size. */
  took(request: IncomingMessage, sizeBytes: number): void {
    // Earlier reads may have consisted of spaces and empty lines, which the parser has dropped.
    this.#bytes = Math.min(this.#bytes, sizeBytes) - sizeBytes - bodyBytes(request)
    this.#hasTaken = true
  }

  /** Called when the parser has stopped after this request. */
  stopped(newest: IncomingMessage | undefined): void {
    this.#hasTaken = false
    this.#bytes = newest?.complete === false ? -bodyBytes(newest) : 0
  }

  /** Called when the parser has read bytes. Returns how many it keeps: 0 in the latest request's body. */
  read(bytes: number, newest: IncomingMessage | undefined): number {
    const hasTaken = this.#hasTaken
    this.#hasTaken = false
    this.#bytes += bytes
    const isInBody = newest?.complete === false
    if (!isInBody && (this.#bytes < 0 || (hasTaken && this.#bytes < spaceBytes))) this.#bytes = 0
    // The parser refuses longer heads, except for spaces and empty lines, which it does not keep.
    return isInBody ? 0 : Math.min(this.#bytes, headBytes)
  }

  /** Whether the bytes are spaces or empty lines, which have no maximum length. */
  get isOverlong(): boolean {
    return this.#bytes > headBytes
  }
}
