/**
 * Decides which of a connection's requests may start, which one is the last, and when the connection closes. Node's parser emits
 * requests until one has to wait (`intake.ts`), and Node sends the responses in request order.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { Config } from "../config.js"
import { type ClosingReason, safeMethods } from "../telemetry/closing-observer.js"
import type { HttpError } from "./error-response.js"
import { Intake } from "./intake.js"
import { Holding, type Memory } from "./memory.js"
import {
  answerRefusal,
  headBytes,
  headFailure,
  malformed,
  originIn,
  overloaded,
  parserFailure,
  type RefusalContext,
  refusalText,
  sizeOfHead,
} from "./refusal.js"
import { joinChunks } from "./request/joined-chunks.js"
import type { ServiceResponse } from "./service-response.js"
import { dropInput, type HandledSocket, stopReading, type Tick } from "./tick.js"

/** How long a finished connection may stay silent before it closes, in ms. */
const lingerMillis = 1_000
/** How long a finished connection's client may continue to send, in ms: as long as the longest request. */
const lingerMaximumMillis = 30_000

/** How long a connection beyond the limit may take to send its only request, in ms. */
const spareMillis = 1_000
/** The paths that a connection beyond the limit serves. */
const healthTargets: ReadonlySet<string> = new Set(["/healthz", "/readyz"])

/** Limits on the resources that a client can tie up. */
export type ConnectionLimits = Pick<
  Config,
  "pipelineLimit" | "unreadLimitBytes" | "connectionBudgetBytes" | "readMillis" | "keepAliveMillis"
>

/** The memory of a parsed request and its response in addition to the head, in bytes, measured in a heap snapshot. */
const requestBytes = 2_048
/** The memory of a string in a head in addition to its characters, in bytes: as an object, in a list and as a member. */
const textBytes = 64
/** If fewer bytes than this follow a request, they may be white space that belongs to its head. */
const spaceBytes = 512

/** How many bytes a client has to read in each `READ_MS` after the first: 16 KiB/s for 30 s. */
const readBytes = 30 * 16_384
/** The bytes that can wait in both kernels' buffers, where no program sees them drain: Linux's default maximums (tcp(7)). */
const kernelBytes = 6 * 1_048_576

/** The parser's cost for the largest piece of a chunked body, and the cost of a network read, in requests. */
const requestsOfChunks = 64
const requestsOfRead = 8 * requestsOfChunks

/**
 * This many names and values in a head cost as much as a short request. Node passes on a longer head in parts. After each part,
 * Node ends earlier responses, so a connection would run one request after another without a limit.
 */
const textsOfRequest = 64

/** The parser reads the rest of a refused body only if the body has at most this many bytes. */
const refusedBodyBytes = 65_536

/** State that all connections of a server share. */
interface ConnectionContext extends RefusalContext {
  readonly limits: ConnectionLimits
  readonly memory: Memory
  readonly tick: Tick
  /** Whether the next request on each connection is the connection's last. */
  readonly isDraining: () => boolean
  readonly run: (request: IncomingMessage, response: ServiceResponse) => void
  /** @param unanswered  methods of the requests that ran but got no response */
  readonly closed: (socket: Socket, reason: ClosingReason | undefined, unanswered: ReadonlyArray<string>) => void
}

/** Makes the reading of an incomplete body fail, and leaves the connection open for the response. */
const breakOff = (request: IncomingMessage, error: HttpError): void => {
  // Node's own method would destroy the connection too.
  request._destroy = (thrown, done) => done(request.listenerCount("error") > 0 ? thrown : null)
  request.destroy(error)
}

const isSafe = ({ req }: ServiceResponse): boolean => safeMethods.has(req.method ?? "")

/** The size of a request's body on the wire: infinite if the body itself marks its end. */
const bodyBytes = ({ headers }: IncomingMessage): number =>
  headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : Number.POSITIVE_INFINITY

export class Connection {
  readonly #socket: Socket
  readonly #context: ConnectionContext
  readonly #intake: Intake
  /** Requests whose response has not been sent yet, oldest first: the running ones, then the waiting ones. */
  readonly #unanswered: Array<ServiceResponse> = []
  #running = 0
  /** The latest request, kept at least until it has been read and its response has been sent. */
  #newest: ServiceResponse | undefined
  readonly #holding: Holding
  /** Bytes after the last request and its body, which belong to an unfinished head. Negative while a body arrives. */
  #behindBytes = 0
  #hasTaken = false
  /** Whether later requests no longer run. */
  #isOver = false
  /** The response to a malformed message after the last request. */
  #refusal: string | undefined
  /** Whether reading is paused because requests wait. */
  #isHeld = false
  /** Whether further input is dropped. */
  #isDropping = false
  #hasLeftParser = false
  #reason: ClosingReason | undefined
  #linger: NodeJS.Timeout | undefined
  readonly #isSpare: boolean
  readonly #spare: NodeJS.Timeout | undefined
  /** The number of sent responses, and its value when the current response was first seen to be stuck. */
  #answers = 0
  #answersWhenStuck = -1
  #stuckSinceMillis = 0
  #bytesWhenAsked = -1
  #bytesWhenIdle = -1
  #idleSinceMillis = 0

  /** @param isSpare  whether the connection limit is reached and this connection serves only health checks */
  constructor(socket: Socket, context: ConnectionContext, isSpare = false) {
    this.#socket = socket
    this.#context = context
    this.#holding = new Holding(context.memory)
    this.#isSpare = isSpare
    if (isSpare) this.#spare = setTimeout(() => this.#newest ?? this.close("connection_limit"), spareMillis).unref()
    this.#intake = new Intake(socket, {
      isFull: ({ headers }) =>
        this.#isOver || this.#running < this.#unanswered.length || headers["transfer-encoding"] !== undefined,
      keepsInput: () => !context.memory.isOverUnparsed,
      stopped: (isKept) => {
        this.#hasTaken = false
        this.#behindBytes = this.#newest?.req.complete === false ? -bodyBytes(this.#newest.req) : 0
        this.#holding.setUnparsed(this.#intake.bytes)
        if (!isKept || context.memory.isOverUnparsed) this.#refuseRest()
        this.#hold()
        if (!this.#mayRead()) return
        // The input is released at once, because by the end of this tick, a refused body would already have been read.
        if (this.#intake.hasChunks) this.#release()
        else this.#startSoon()
      },
      read: (bytes) => this.#read(bytes),
      failed: (error) => this.refuse(parserFailure(error) ?? malformed, originIn(error.rawPacket)),
    })
    // Node removes its own listener before it emits CONNECT, and a reset would then crash the process.
    socket.on("error", () => {})
    // Node resumes reading by itself at the end of each message.
    socket.on("resume", () => {
      if (this.#isHeld) {
        // Safe: this is a server's socket.
        stopReading(socket as HandledSocket)
        if (this.#intake.isWaiting && this.#mayRead()) this.#startSoon()
      } else if (this.#isDropping) this.#leaveParser()
    })
    // Node calls this after a response that closes the connection. Node's version would not wait for the client to read it.
    socket.destroySoon = () => this.#end()
    socket.once("close", () => this.#closed())
  }

  /** Accepts the next request and starts it once it may run. */
  take(request: IncomingMessage, response: ServiceResponse): void {
    if (this.#isOver) {
      if (this.#linger === undefined) this.#hold()
      else this.#dropInput()
      return
    }
    response.owner = this
    response.keepAliveMillis = this.#context.limits.keepAliveMillis
    if (request.headers["transfer-encoding"] !== undefined) joinChunks(request)
    const isOld = request.httpVersionMinor === 0
    const sizeBytes = sizeOfHead(request)
    // Earlier reads may have consisted of spaces and empty lines, which the parser has dropped.
    this.#behindBytes = Math.min(this.#behindBytes, sizeBytes) - sizeBytes - bodyBytes(request)
    this.#hasTaken = true
    response.failure = headFailure(request, sizeBytes) ?? (isOld && this.#intake.isRtsp(request) ? malformed : undefined)
    if (this.#isSpare && !healthTargets.has(request.url ?? "")) {
      response.failure ??= overloaded
      this.#reason ??= "connection_limit"
    }
    // HTTP/1.0 keeps connections open with another header. After Upgrade, Node loses bytes that it has already read.
    const isLast = response.failure !== undefined || isOld || request.headers.upgrade !== undefined
    if (isLast || this.#isSpare || this.#context.isDraining()) response.shouldKeepAlive = false
    this.#isOver = !response.shouldKeepAlive
    this.#newest = response
    this.#unanswered.push(response)
    const texts = request.rawHeaders.length
    const hasToWait = texts > textsOfRequest && !this.#context.tick.spend(texts / textsOfRequest)
    response.requestBytes = requestBytes + sizeBytes + texts * textBytes
    this.#holding.add(response.requestBytes)
    if (hasToWait && this.#unanswered.length === 1) {
      this.#hold()
      this.#startSoon()
    } else this.#startWaiting()
  }

  holds(response: ServiceResponse, bytes: number): void {
    this.#holding.setResponse(response, bytes)
  }

  heading(response: ServiceResponse): void {
    // The rest of a long refused body is read without a parser. Parsing one-byte chunks would cost as much as
    // thousands of requests, and Node reads up to 2 MiB of a long body at once, while other connections wait.
    const { complete } = response.req
    if (complete || response.statusCode < 400 || bodyBytes(response.req) <= refusedBodyBytes) return
    response.shouldKeepAlive = false
    this.#isOver ||= response === this.#newest
  }

  answered(): void {
    const answered = this.#unanswered.shift()
    this.#running -= 1
    if (answered !== undefined) {
      this.holds(answered, 0)
      this.#holding.add(-answered.requestBytes)
    }
    this.#answers += 1
    if (this.#unanswered.length > this.#running) {
      this.#startSoon()
    } else if (this.#unanswered.length === 0) {
      if (this.#isOver) this.#end()
      else if (this.#newest?.req.complete === true) this.#newest = undefined
    }
  }

  /** Called when the last message is malformed or late. No later request runs. An error response follows the earlier ones. */
  refuse(failure: HttpError, origin: string | undefined): void {
    if (this.#linger !== undefined) {
      this.#dropInput()
      return
    }
    const newest = this.#newest
    if (newest?.req.complete === false) {
      this.#isOver = true
      if (!newest.headersSent) {
        newest.shouldKeepAlive = false
        newest.failure = failure
        if (this.#unanswered.indexOf(newest) < this.#running) breakOff(newest.req, failure)
      }
    } else if (!this.#isOver) {
      this.#isOver = true
      this.#refusal = refusalText(failure, origin, this.#context)
    }
    if (this.#unanswered.length === 0) this.#end()
    else this.#hold()
  }

  /**
   * Called when the parser has read bytes. Counts the bytes of an unfinished head, and refuses the head if all unfinished heads
   * together hold too much. After each read of a chunked body, of spaces or of empty lines, other connections come first.
   */
  #read(bytes: number): void {
    const hasTaken = this.#hasTaken
    this.#hasTaken = false
    this.#behindBytes += bytes
    const isInBody = this.#newest?.req.complete === false
    if (!isInBody && (this.#behindBytes < 0 || (hasTaken && this.#behindBytes < spaceBytes))) this.#behindBytes = 0
    // The parser refuses longer heads, except for spaces and empty lines, which it does not keep.
    const keptBytes = Math.min(this.#behindBytes, headBytes)
    const unfinishedBytes = isInBody ? 0 : keptBytes + this.#intake.headTexts * textBytes
    this.#holding.setUnparsed(this.#intake.bytes + unfinishedBytes)
    if (unfinishedBytes > 0 && this.#context.memory.isOverUnparsed) this.refuse(overloaded, undefined)
    if (this.#isHeld || this.#isDropping || !this.#isCostly()) return
    this.#hold()
    this.#startSoon()
  }

  /** Whether the next read may cost as much as many requests: chunks, spaces or empty lines, which have no maximum length. */
  #isCostly(): boolean {
    const request = this.#newest?.req
    if (request?.complete === false) return request.headers["transfer-encoding"] !== undefined
    return this.#behindBytes > headBytes
  }

  /** Refuses the bytes that wait for the parser, because they could become thousands of requests. */
  #refuseRest(): void {
    this.refuse(overloaded, undefined)
    this.#intake.drop()
    this.#holding.setUnparsed(0)
  }

  /**
   * Makes the newest request the last one if its response can still announce the close, and neither input nor a refusal follows.
   * Otherwise, the next request is the last one.
   */
  finish(): void {
    this.#bytesWhenAsked = this.#socket.bytesRead
    const newest = this.#unanswered.at(-1)
    if (this.#isOver || newest === undefined || newest.headersSent || this.#intake.bytes > 0) return
    newest.shouldKeepAlive = false
    this.#isOver = true
  }

  /** Closes the connection if no response is pending and nothing has arrived since the last call. */
  closeIfSilent(): void {
    const bytes = this.#socket.bytesRead
    const isSilent = bytes === this.#bytesWhenAsked && this.#unanswered.length === 0 && !this.#intake.isWaiting
    if (isSilent && this.#linger === undefined) this.#socket.destroy()
    this.#bytesWhenAsked = bytes
  }

  close(reason: ClosingReason): void {
    this.#reason ??= reason
    this.#socket.destroy()
  }

  /** Closes the connection if the client has not read a response in time. Called repeatedly. */
  closeIfStuck(nowMillis: number): void {
    const { writableLength, bytesWritten } = this.#socket
    if (writableLength === 0 || this.#answers !== this.#answersWhenStuck) {
      this.#answersWhenStuck = this.#answers
      this.#stuckSinceMillis = nowMillis
    } else {
      const unreadBytes = writableLength + Math.min(kernelBytes, bytesWritten - writableLength)
      const allowedMillis = this.#context.limits.readMillis * (1 + unreadBytes / readBytes)
      if (nowMillis - this.#stuckSinceMillis >= allowedMillis) this.closeUnread()
    }
  }

  /**
   * Closes the connection although the client has not read its responses. Returns how many bytes become free. The client still
   * gets the bytes in the kernel's buffers, unless it has sent bytes that were not read (RFC 9112 §9.6).
   */
  closeUnread(): number {
    this.#reason ??= "slow_reader"
    if (this.#linger === undefined) {
      this.#isOver = true
      this.#lingerAgain(0)
      this.#dropInput()
    } else this.#socket.destroy()
    return this.#holding.bytes
  }

  /** Closes the connection if it has been idle for too long. Called repeatedly, because Node would set a timer per response. */
  closeIfIdle(nowMillis: number): void {
    const bytes = this.#socket.bytesRead
    if (this.#answers === 0 || this.#unanswered.length > 0 || bytes !== this.#bytesWhenIdle) {
      this.#bytesWhenIdle = bytes
      this.#idleSinceMillis = nowMillis
    } else if (nowMillis - this.#idleSinceMillis >= this.#context.limits.keepAliveMillis) this.#socket.destroy()
  }

  #startSoon(): void {
    this.#context.tick.later(this.#startWaiting)
  }

  readonly #startWaiting = (): void => {
    for (;;) {
      const next = this.#unanswered[this.#running]
      if (next === undefined || !this.#hasRoom(next)) break
      this.#running += 1
      if (next.failure === undefined) {
        // `100 Continue` is sent only now, because a refusal after it would be too late.
        if (next._expect_continue === true) next.writeContinue()
        this.#context.run(next.req, next)
      } else answerRefusal(next, next.failure, this.#context)
    }
    if (this.#running < this.#unanswered.length) this.#hold()
    else this.#release()
  }

  /** Whether the parser may continue: no request waits, and another request or the rest of one may follow. */
  #mayRead(): boolean {
    return this.#running === this.#unanswered.length && (!this.#isOver || this.#newest?.req.complete === false)
  }

  /** Whether a request may run in parallel with the current ones. RFC 9112 §9.3.2 allows this only for safe requests. */
  #hasRoom(next: ServiceResponse): boolean {
    const [first] = this.#unanswered
    if (this.#running === 0 || first === undefined) return true
    if (!isSafe(next) || !isSafe(first)) return false
    const { limits, memory, tick } = this.#context
    const { bytes, responseBytes } = this.#holding
    const isFull = responseBytes > limits.unreadLimitBytes || bytes > limits.connectionBudgetBytes
    return this.#running < limits.pipelineLimit && !isFull && !memory.isOver && tick.take(1)
  }

  #hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    this.#socket.pause()
  }

  #release(): void {
    if (!this.#isHeld || !this.#mayRead()) return
    const { tick } = this.#context
    const isCostly = this.#intake.hasChunks || this.#isCostly()
    if (isCostly && !tick.take(this.#intake.isWaiting ? requestsOfChunks : requestsOfRead)) {
      this.#startSoon()
      return
    }
    this.#intake.feed()
    if (this.#mayRead() && this.#intake.hasChunks) this.#startSoon()
    if (!this.#mayRead() || this.#intake.isWaiting) return
    this.#isHeld = false
    this.#socket.resume()
  }

  /**
   * Ends the sending side. Further input is read and dropped for a while, because the kernel would otherwise reset the connection
   * and the client might lose the last response (RFC 9112 §9.6).
   */
  #end(): void {
    const socket = this.#socket
    if (this.#linger !== undefined || socket.destroyed) return
    this.#isOver = true
    if (this.#refusal === undefined) socket.end()
    else socket.end(this.#refusal)
    this.#lingerAgain(this.#isSpare ? 0 : performance.now() + lingerMaximumMillis)
    if (this.#isHeld || this.#refusal !== undefined || this.#newest?.req.complete === false) this.#dropInput()
  }

  /** Waits until the client closes too, is silent for a while, or has been sending for too long. */
  #lingerAgain(untilMillis: number): void {
    const bytes = this.#socket.bytesRead
    this.#linger = setTimeout(() => {
      if (this.#socket.bytesRead === bytes || performance.now() >= untilMillis) this.#socket.destroy()
      else this.#lingerAgain(untilMillis)
    }, lingerMillis).unref()
  }

  #dropInput(): void {
    this.#isHeld = false
    this.#isDropping = true
    this.#intake.drop()
    this.#holding.setUnparsed(0)
    if (this.#socket.isPaused()) this.#socket.resume()
    else this.#leaveParser()
  }

  /** Reads without the parser, which would keep its input. Does nothing if reading is paused: Node would not resume it. */
  #leaveParser(): void {
    if (this.#hasLeftParser || this.#socket.isPaused()) return
    this.#hasLeftParser = true
    // Safe: this is a server's socket.
    dropInput(this.#socket as HandledSocket, this.#context.tick)
  }

  #closed(): void {
    this.#context.tick.cancel(this.#startWaiting)
    clearTimeout(this.#linger)
    clearTimeout(this.#spare)
    this.#intake.drop()
    this.#holding.end()
    const unanswered = this.#unanswered.slice(0, this.#running).map(({ req }) => req.method ?? "")
    // Node destroys responses too, but not after CONNECT.
    for (const response of this.#unanswered) response.destroy()
    this.#context.closed(this.#socket, this.#reason ?? (unanswered.length > 0 ? "client_disconnected" : undefined), unanswered)
  }
}
