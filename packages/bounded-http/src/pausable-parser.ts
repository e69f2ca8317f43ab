/**
 * Stops Node's parser as soon as a request has to wait.
 *
 * Node reads 64 KiB at once and parses all of it: up to 2200 requests of 30 bytes, and 3.8 MB of objects. Here, the parser stops
 * after the first request that has to wait, and later input stays unparsed until that request runs. At other times the parser
 * reads from the socket directly, because passing the bytes through JavaScript would cost a tenth of the throughput.
 *
 * To stop the parser, this module reports an upgrade to another protocol. The parser then ends the message at its head and leaves
 * the rest to its caller. If a body follows, an artificial head with the same length announces it later.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { type BoundedRequest, ignoreEnd, NodeParser, type ParserError, reopen, takeBodyOf } from "./node.js"

/** How many bytes of a chunked body the parser gets at once. As one-byte chunks, they take the parser a few ms. */
const chunksBytes = 8_192

const nothing: Buffer = Buffer.alloc(0)

/** A complete message. At its end, the parser leaves the state for another protocol, which does not report errors. */
const emptyHead = Buffer.from("GET / HTTP/1.1\r\n\r\n")

/** The head that lets the parser continue after a request. It announces the request's body, if there is one. */
const artificialHeadAfter = ({ headers }: IncomingMessage): Buffer => {
  const { "content-length": length = "0", "transfer-encoding": coding } = headers
  if (coding !== undefined) return Buffer.from("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
  return Number(length) === 0 ? emptyHead : Buffer.from(`POST / HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n`)
}

/**
 * A short rest must not retain the long read that it came from. `Buffer.from` would put it into a long pool, from which it would be
 * copied again at every stop.
 */
const separate = (bytes: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

interface PausableParserOptions {
  /** Whether the parser stops after the latest request. */
  readonly isFull: (request: IncomingMessage) => boolean
  /** Whether the input after that request, of this many bytes, is kept. Keeping it copies the whole read, 64 KiB. */
  readonly keepsInput: (bytes: number) => boolean
  /** Called when the parser has stopped. {@link PausableParser.feed} lets it continue, but only if the input was kept. */
  readonly stopped: (isKept: boolean) => void
  /** Called with the number of parsed bytes, if the parser did not stop. */
  readonly read: (bytes: number) => void
  /** Called with the error of malformed input. */
  readonly failed: (error: ParserError) => void
}

export class PausableParser {
  readonly #socket: Socket
  readonly #options: PausableParserOptions
  readonly #parser: NodeParser | undefined
  #isStopped = false
  /** The parser has stopped after this request's head. */
  #stoppedBehind: BoundedRequest | undefined
  /** The request whose body an artificial head announces, while the parser gets that head. */
  #bodyOf: BoundedRequest | undefined
  #isInChunks = false
  #rest = nothing
  /** Whether the input that is being parsed contains RTSP's name. Unset until that matters. */
  #mentionsRtsp: boolean | undefined
  #isFeeding = false
  /** How many bytes the socket had read before the read that is being parsed. */
  #earlierBytes: number

  constructor(socket: Socket, options: PausableParserOptions) {
    this.#socket = socket
    this.#earlierBytes = socket.bytesRead
    this.#options = options
    const parser = NodeParser.of(socket)
    if (parser === undefined) return
    this.#parser = parser
    parser.intercept(
      (next, request, staysOpen) => this.#incoming(next, request, staysOpen),
      (next, parsed) => {
        const isStopped = this.#isStopped && typeof parsed === "number"
        const rest = isStopped ? this.#restOfRead(parsed, parser) : undefined
        if (!isStopped) {
          this.#mentionsRtsp = undefined
          if (typeof parsed === "number") this.#earlierBytes += parsed
        }
        next(parsed)
        if (isStopped) this.#stopAt(rest)
        else if (typeof parsed === "number") options.read(parsed)
      },
    )
  }

  /** The number of bytes that wait for the parser. */
  get bytes(): number {
    return this.#rest.length
  }

  /** Whether input waits for the parser, or is being parsed. */
  get isWaiting(): boolean {
    return this.#isFeeding || this.#rest.length > 0 || this.#stoppedBehind !== undefined
  }

  /** Whether the parser can stop after a request. */
  get canStop(): boolean {
    return this.#parser !== undefined
  }

  /** The number of names and values in an unfinished head that the parser keeps. */
  get headTexts(): number {
    return this.#parser?.unfinishedTexts ?? 0
  }

  /** Whether the waiting input begins with a chunked body. */
  get hasChunks(): boolean {
    return this.#isInChunks || this.#stoppedBehind?.headers["transfer-encoding"] !== undefined
  }

  /**
   * Whether a request is RTSP, which Node's parser also accepts. Only the raw bytes of the last read show this. They are searched
   * once, because one read may have thousands of requests.
   */
  isRtsp({ method = "", url = "" }: IncomingMessage): boolean {
    this.#mentionsRtsp ??= this.#parser?.input.includes(" RTSP/") === true
    return this.#mentionsRtsp && this.#parser?.input.includes(`${method} ${url} RTSP/`) === true
  }

  /**
   * Passes waiting input to the parser until it stops again. Returns whether the parser has taken input. It takes nothing while Node
   * has paused it because responses wait for the client. Node resumes the socket then.
   */
  feed(): boolean {
    const parser = this.#parser
    if (parser?.isAttached !== true || !this.isWaiting || this.#isFeeding) return false
    this.#isFeeding = true
    try {
      return this.#feed(parser)
    } finally {
      this.#isFeeding = false
    }
  }

  #feed(parser: NodeParser): boolean {
    const hasChunks = this.hasChunks
    const request = this.#stoppedBehind
    if (request !== undefined) {
      this.#bodyOf = request
      parser.parse(artificialHeadAfter(request))
      this.#bodyOf = undefined
      if (this.#stoppedBehind !== undefined) return false
    }
    // Only a part of a chunked body's input is searched.
    if (hasChunks) this.#mentionsRtsp = undefined
    const all = this.#rest
    const bytes = hasChunks ? all.subarray(0, chunksBytes) : all
    this.#isInChunks = hasChunks && all.length > bytes.length
    if (bytes.length === 0) return true
    this.#rest = all.subarray(bytes.length)
    const parsed = parser.parse(bytes)
    if (typeof parsed !== "number" && parsed.code === "HPE_PAUSED") {
      this.#rest = all
      this.#isInChunks = hasChunks
      return false
    }
    if (typeof parsed === "number") {
      const isStopped = this.#isStopped
      if (!isStopped || hasChunks) this.#mentionsRtsp = undefined
      parser.parsed(parsed)
      if (isStopped) this.#stopAt(all.subarray(parsed))
      else this.#options.read(parsed)
    } else {
      parsed.rawPacket = bytes
      this.#options.failed(parsed)
    }
    return true
  }

  /** Parses the first bytes of a connection, which were read before the parser began. */
  begin(bytes: Buffer): void {
    this.#rest = bytes
    this.feed()
  }

  /** Drops waiting input. */
  drop(): void {
    this.#parser?.reset()
    this.#rest = nothing
    this.#mentionsRtsp = undefined
    this.#isInChunks = false
    this.#stoppedBehind = undefined
  }

  #incoming(next: (request: BoundedRequest, staysOpen: boolean) => number, request: BoundedRequest, staysOpen: boolean): number {
    const bodyOf = this.#bodyOf
    if (bodyOf !== undefined) {
      this.#stoppedBehind = undefined
      if (bodyOf.complete) ignoreEnd(request)
      else takeBodyOf(bodyOf, request)
      return 0
    }
    const result = next(request, staysOpen)
    // After a connection's last request, the parser accepts nothing more and need not stop.
    if (result !== 0 || !staysOpen || !this.#options.isFull(request) || this.#parser?.readsSocket !== true) return result
    this.#stoppedBehind = request
    if (artificialHeadAfter(request) !== emptyHead) ignoreEnd(request)
    this.#isStopped = true
    return NodeParser.stop
  }

  /** The rest of the latest read, if it is kept. */
  #restOfRead(parsed: number, parser: NodeParser): Buffer | undefined {
    const { bytesRead } = this.#socket
    const isKept = this.#options.keepsInput(bytesRead - this.#earlierBytes - parsed)
    this.#earlierBytes = bytesRead
    return isKept ? parser.input.subarray(parsed) : undefined
  }

  #stopAt(input: Buffer | undefined): void {
    if (this.#stoppedBehind !== undefined) reopen(this.#stoppedBehind)
    const rest = input ?? nothing
    this.#isStopped = false
    this.#isInChunks = false
    this.#rest = rest.length < rest.buffer.byteLength / 2 ? separate(rest) : rest
    this.#options.stopped(input !== undefined)
  }
}
