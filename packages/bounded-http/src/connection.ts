/**
 * Decides which of a connection's requests may start, which one is the last, and when the connection closes. Node's parser emits
 * requests until one has to wait (`pausable-parser.ts`), and Node sends the responses in request order.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { type Budget, ConnectionBudget } from "./budget.js"
import { joinChunks } from "./joined-chunks.js"
import type { ConnectionLimits } from "./limits.js"
import { Linger } from "./linger.js"
import { type BoundedRequest, insteadOfClosing, isLast, makeLast, runKeeping, stopReading, watchPrototype } from "./node.js"
import { PausableParser } from "./pausable-parser.js"
import {
  answerRefusal,
  headFailure,
  MessageRefused,
  malformed,
  originIn,
  overloaded,
  parserFailure,
  type Refusal,
  type Refuse,
  refusalText,
  sizeOfHead,
} from "./refusal.js"
import { BoundedResponse, type ResponseConnection, reserve } from "./response.js"
import type { ResponseSize } from "./response-size.js"
import { SlowReader } from "./slow-reader.js"
import type { Tick } from "./tick.js"
import { bodyBytes, UnfinishedHead } from "./unfinished-head.js"

/** Methods that change nothing (RFC 9110 §9.2.1). */
export const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"])

/** Why a connection closed before its last response was sent. */
export type ClosingReason = "client_disconnected" | "slow_reader" | "connection_limit" | "shutdown"

/**
 * Called for every connection that closed before its last response was sent, and for every one that a limit or a drain has closed,
 * even without a request. It is not called after a refusal, unless the connection was beyond the limit.
 *
 * @param unanswered  methods of the requests that ran but got no response
 */
export type ObserveClosing = (reason: ClosingReason, unanswered: ReadonlyArray<string>) => void

/** How long a finished connection's client may continue to send, in ms: as long as the longest request. */
const lingerMaximumMillis = 30_000

/** How long a connection beyond the limit may take to send its only request, in ms. */
const spareMillis = 1_000

/**
 * How long a listener may take to respond after the body that it reads has failed, in ms. Then the refusal is the response. A
 * response that has begun may take as long from one part to the next.
 */
const graceMillis = 1_000

/** The memory of a parsed request and its response in addition to the head, in bytes, measured in a heap snapshot. */
const requestBytes = 2_048
/** The memory of a string in a head in addition to its characters, in bytes: as an object, in a list and as a member. */
const textBytes = 64
/** The parser's cost for the largest piece of a chunked body, and the cost of a network read, in requests. */
const requestsOfChunks = 64
const requestsOfRead = 8 * requestsOfChunks

/**
 * This many names and values in a head cost as much as a short request. Node passes on a longer head in parts. After each part,
 * Node ends earlier responses, so a connection would run one request after another without a limit.
 */
const textsOfRequest = 64

/**
 * The kernel takes as long to accept this many bytes of a response as a short request takes in all: 20 MB in one tick kept the other
 * connections waiting for 50 ms. Of a longer response, the kernel accepts little more than `acceptedBytes` at once.
 */
const bytesOfRequest = 16_384
const acceptedBytes = 64 * bytesOfRequest

/** The parser reads the rest of a refused body only if the body has at most this many bytes. */
const refusedBodyBytes = 65_536

/** State that all connections of a server share. */
interface ConnectionContext {
  readonly limits: ConnectionLimits
  readonly budget: Budget
  readonly tick: Tick
  readonly refuse: Refuse
  /** The expected length of the listener's responses. `undefined` if the listener reserves memory for them by itself. */
  readonly responseSize: ResponseSize | undefined
  /** The paths that even a connection beyond the limit, or a server beyond its budget, serves. */
  readonly alwaysServed: ReadonlySet<string>
  /** Whether the next request on each connection is the connection's last. */
  readonly isDraining: () => boolean
  readonly run: (request: IncomingMessage, response: BoundedResponse) => void
  /** @param unanswered  methods of the requests that ran but got no response */
  readonly closed: (socket: Socket, reason: ClosingReason | undefined, unanswered: ReadonlyArray<string>) => void
}

/** Whether a request may run beside others. Connections of HTTP/1.0 that stay open have no pipelining. */
const isSafe = (response: BoundedResponse): boolean =>
  (response.req.httpVersionMinor !== 0 || isLast(response)) && safeMethods.has(response.req.method ?? "")

const pathOf = ({ url = "" }: IncomingMessage): string => url.split("?", 1)[0] ?? ""

export class Connection implements ResponseConnection {
  readonly #socket: Socket
  readonly #context: ConnectionContext
  readonly #parser: PausableParser
  /** Requests whose response has not been sent yet, oldest first: the running ones, then the waiting ones. */
  readonly #unanswered: Array<BoundedResponse> = []
  #running = 0
  /** The latest request, kept at least until it has been read and its response has been sent. */
  #newest: BoundedResponse | undefined
  readonly #budget: ConnectionBudget
  readonly #unfinished = new UnfinishedHead()
  /** Whether later requests no longer run. */
  #isOver = false
  /** The response to a malformed message after the last request. */
  #refusal: string | undefined
  /** Whether reading is paused because requests wait. */
  #isPaused = false
  #reason: ClosingReason | undefined
  readonly #linger: Linger
  readonly #isSpare: boolean
  readonly #spare: NodeJS.Timeout | undefined
  /** The number of sent responses. */
  #answers = 0
  readonly #reader = new SlowReader()
  #bytesWhenAsked = -1
  #bytesWhenIdle = -1
  #idleSinceMillis = 0

  /** @param isSpare  whether the connection limit is reached and this connection serves only health checks */
  constructor(socket: Socket, context: ConnectionContext, isSpare = false) {
    this.#socket = socket
    this.#context = context
    this.#budget = new ConnectionBudget(context.budget)
    this.#linger = new Linger(socket, context.tick)
    this.#isSpare = isSpare
    if (isSpare) this.#spare = setTimeout(() => this.#newest ?? this.close("connection_limit"), spareMillis).unref()
    this.#parser = new PausableParser(socket, {
      isFull: ({ headers }) =>
        this.#isOver ||
        this.#running < this.#unanswered.length ||
        headers["transfer-encoding"] !== undefined ||
        // Node would treat the bytes behind this request as another protocol's.
        headers.upgrade !== undefined,
      keepsInput: (bytes) => context.budget.hasRoomForUnparsed(bytes),
      stopped: (isKept) => {
        this.#unfinished.stopped(this.#newest?.req)
        this.#budget.setUnparsed(this.#parser.bytes)
        if (!isKept || context.budget.isOverUnparsed) this.#refuseRest()
        this.#pause()
        if (!this.#mayRead()) return
        // The input is released at once, because by the end of this tick, a refused body would already have been read.
        if (this.#parser.hasChunks) this.#resume()
        else this.#startSoon()
      },
      read: (bytes) => this.#read(bytes),
      failed: (error) => this.refuse(parserFailure(error) ?? malformed, originIn(error.rawPacket)),
    })
    // Node removes its own listener before it emits CONNECT, and a reset would then crash the process.
    socket.on("error", () => {})
    // Node resumes reading by itself at the end of each message.
    socket.on("resume", () => {
      if (this.#isPaused) {
        stopReading(socket)
        if (this.#parser.isWaiting && this.#mayRead()) this.#startSoon()
      }
    })
    insteadOfClosing(socket, () => this.#end())
    socket.once("close", () => this.#closed())
  }

  /** Accepts the next request and starts it once it may run. */
  take(request: BoundedRequest, response: BoundedResponse, expectsContinue = false): void {
    if (this.#isOver) {
      if (this.#linger.hasBegun) this.#dropInput()
      else this.#pause()
      return
    }
    response.boundedBy = this
    response.expectsContinue = expectsContinue
    // Node's own listener has already passed the socket on to the next response.
    response.on("finish", this.#finished)
    if (request.headers["transfer-encoding"] !== undefined) joinChunks(request)
    const isOld = request.httpVersionMinor === 0
    const sizeBytes = sizeOfHead(request)
    this.#unfinished.took(request, sizeBytes)
    response.refusal = headFailure(request, sizeBytes) ?? (isOld && this.#parser.isRtsp(request) ? malformed : undefined)
    if (this.#isSpare && !this.#isAlwaysServed(request)) {
      response.refusal ??= overloaded
      this.#reason ??= "connection_limit"
    }
    // Without a parser that can stop, Node loses the bytes that follow a request for another protocol.
    const losesBytes = request.headers.upgrade !== undefined && !this.#parser.canStop
    if (response.refusal !== undefined || losesBytes || this.#isSpare || this.#context.isDraining()) makeLast(response)
    this.#isOver = isLast(response)
    this.#newest = response
    this.#unanswered.push(response)
    const texts = request.rawHeaders.length
    const { tick } = this.#context
    const hasToWait =
      (texts > textsOfRequest && !tick.spend(texts / textsOfRequest)) || (!tick.mayBegin && !this.#isAlwaysServed(request))
    response.requestBytes = requestBytes + sizeBytes + texts * textBytes
    this.#budget.add(response.requestBytes)
    if (hasToWait && this.#unanswered.length === 1) {
      this.#pause()
      this.#startSoon()
    } else tick.begin(this.#startWaiting)
  }

  /** Parses the first bytes, which were read before the connection began. */
  begin(bytes: Buffer): void {
    this.#parser.begin(bytes)
  }

  get keepAliveMillis(): number {
    return this.#context.limits.keepAliveMillis
  }

  count(response: BoundedResponse, bytes: number): void {
    this.#budget.setResponse(response, bytes)
  }

  learn(bytes: number): void {
    this.#context.responseSize?.learn(bytes)
  }

  wrote(bytes: number): void {
    if (bytes >= bytesOfRequest) this.#context.tick.wrote(Math.floor(Math.min(bytes, acceptedBytes) / bytesOfRequest))
  }

  hasRoomFor(bytes: number, share: number): boolean {
    return this.#context.budget.hasRoomFor(bytes, share)
  }

  beforeHead(response: BoundedResponse): void {
    // The rest of a long refused body is read without a parser. Parsing one-byte chunks would cost as much as
    // thousands of requests, and Node reads up to 2 MiB of a long body at once, while other connections wait.
    const { complete } = response.req
    if (complete || response.statusCode < 400 || bodyBytes(response.req) <= refusedBodyBytes) return
    makeLast(response)
    this.#isOver ||= response === this.#newest
  }

  readonly #finished = (): void => this.answered()

  answered(): void {
    const answered = this.#unanswered.shift()
    this.#running -= 1
    if (answered !== undefined) {
      watchPrototype(answered)
      this.count(answered, 0)
      this.#budget.add(-answered.requestBytes)
    }
    this.#answers += 1
    if (this.#unanswered.length > this.#running) {
      this.#startSoon()
    } else if (this.#unanswered.length === 0) {
      if (this.#isOver) this.#end()
      else if (this.#newest?.req.complete === true) this.#newest = undefined
    }
  }

  /** Refuses CONNECT. From then on, Node tells no earlier response that it may continue. */
  refuseTunnel(origin: string | undefined): void {
    this.#socket.on("drain", () => this.#unanswered[0]?.emit("drain"))
    this.refuse(malformed, origin)
  }

  /** Called when the last message is malformed or late. No later request runs. An error response follows the earlier ones. */
  refuse(refusal: Refusal, origin: string | undefined): void {
    if (this.#linger.hasBegun) {
      this.#dropInput()
      return
    }
    const newest = this.#newest
    if (newest?.req.complete === false) {
      this.#isOver = true
      if (!newest.headersSent) {
        makeLast(newest)
        newest.refusal = refusal
      }
      if (!newest.writableEnded && this.#unanswered.indexOf(newest) < this.#running) this.#failBody(newest, refusal)
    } else if (!this.#isOver) {
      this.#isOver = true
      this.#refusal = refusalText(refusal, origin, this.#socket, this.#context.refuse)
    }
    if (this.#unanswered.length === 0) this.#end()
    else this.#pause()
  }

  /**
   * Called when the parser has read bytes. Counts the bytes of an unfinished head or of unfinished trailers, and refuses them if
   * all of them together hold too much. After each read of a chunked body, of spaces or of empty lines, other connections come first.
   */
  #read(bytes: number): void {
    const unfinishedBytes = this.#unfinished.read(bytes, this.#newest?.req) + this.#parser.headTexts * textBytes
    this.#budget.setUnparsed(this.#parser.bytes + unfinishedBytes)
    if (unfinishedBytes > 0 && this.#context.budget.isOverUnparsed) this.refuse(overloaded, undefined)
    if (this.#isPaused || this.#linger.isDropping || !this.#isCostly()) return
    this.#pause()
    this.#startSoon()
  }

  /** Whether the next read may cost as much as many requests: chunks, spaces or empty lines, which have no maximum length. */
  #isCostly(): boolean {
    const request = this.#newest?.req
    if (request?.complete === false) return request.headers["transfer-encoding"] !== undefined
    return this.#unfinished.isOverlong
  }

  /** Refuses the bytes that wait for the parser, because they could become thousands of requests. */
  #refuseRest(): void {
    this.refuse(overloaded, undefined)
    this.#parser.drop()
    this.#budget.setUnparsed(0)
  }

  /**
   * Makes the newest request the last one if its response can still announce the close, and neither input nor a refusal follows.
   * Otherwise, the next request is the last one.
   */
  finish(): void {
    this.#bytesWhenAsked = this.#socket.bytesRead
    const newest = this.#unanswered.at(-1)
    if (this.#isOver || newest === undefined || newest.headersSent || this.#parser.bytes > 0) return
    makeLast(newest)
    this.#isOver = true
  }

  /** Closes the connection if no response is pending and nothing has arrived since the last call. */
  closeIfSilent(): void {
    const bytes = this.#socket.bytesRead
    const isSilent = bytes === this.#bytesWhenAsked && this.#unanswered.length === 0 && !this.#parser.isWaiting
    if (isSilent && !this.#linger.hasBegun) this.#socket.destroy()
    this.#bytesWhenAsked = bytes
  }

  close(reason: ClosingReason): void {
    this.#reason ??= reason
    this.#socket.destroy()
  }

  /** Counts again what the network has not taken of responses in parts. Called repeatedly. */
  recount(): void {
    for (const response of this.#unanswered) BoundedResponse.recount(response)
  }

  /** Closes the connection if the client has not read a response in time. Called repeatedly. */
  closeIfStuck(nowMillis: number): void {
    // Such a connection closes once its input has been dropped.
    if (this.#reason === "slow_reader") return
    if (this.#reader.isTooSlow(this.#socket, this.#answers, nowMillis, this.#context.limits.readMillis)) this.closeUnread()
  }

  /**
   * Closes the connection although the client has not read its responses. Returns how many bytes become free. The client still
   * gets the bytes in the kernel's buffers, unless it has sent bytes that were not read (RFC 9112 §9.6).
   */
  closeUnread(): number {
    this.#reason ??= "slow_reader"
    if (!this.#linger.hasBegun) {
      this.#isOver = true
      this.#linger.begin(0)
      this.#dropInput()
    } else this.#socket.destroy()
    return this.#budget.bytes
  }

  /** Closes the connection if it has been idle for too long. Called repeatedly, because Node would set a timer per response. */
  closeIfIdle(nowMillis: number): void {
    const bytes = this.#socket.bytesRead
    if (this.#answers === 0 || this.#unanswered.length > 0 || bytes !== this.#bytesWhenIdle) {
      this.#bytesWhenIdle = bytes
      this.#idleSinceMillis = nowMillis
    } else if (nowMillis - this.#idleSinceMillis >= this.#context.limits.keepAliveMillis) this.#socket.destroy()
  }

  #isAlwaysServed(request: IncomingMessage): boolean {
    return this.#context.alwaysServed.has(pathOf(request))
  }

  /** Reserves memory for a response of the expected length, unless the listener does so by itself. */
  #isAdmitted(response: BoundedResponse): boolean {
    const { responseSize } = this.#context
    return responseSize === undefined || this.#isAlwaysServed(response.req) || reserve(response, responseSize.bytes)
  }

  /** Makes the reading of an incomplete body fail, and leaves the connection open for the response. */
  #failBody(response: BoundedResponse, refusal: Refusal): void {
    const { req } = response
    if ("failsAlone" in req) req.failsAlone = true
    req.destroy(new MessageRefused(refusal))
    this.#awaitEnd(response, refusal, this.#socket.bytesWritten)
  }

  /** A listener that does not look at the body's error would never respond, or never end the response that it has begun. */
  #awaitEnd(response: BoundedResponse, refusal: Refusal, bytes: number): void {
    setTimeout(() => {
      const { destroyed, writableLength, bytesWritten } = this.#socket
      if (destroyed || response.writableEnded) return
      if (!response.headersSent) answerRefusal(response, refusal, this.#context.refuse)
      else if (writableLength === 0 && bytesWritten === bytes) this.#socket.destroy()
      else this.#awaitEnd(response, refusal, bytesWritten)
    }, graceMillis).unref()
  }

  #startSoon(): void {
    this.#context.tick.later(this.#startWaiting)
  }

  readonly #startWaiting = (): void => {
    for (;;) {
      const next = this.#unanswered[this.#running]
      if (next === undefined || !this.#hasRoom(next)) break
      this.#running += 1
      if (next.refusal === undefined && !this.#isAdmitted(next)) next.refusal = overloaded
      if (next.refusal === undefined) {
        // `100 Continue` is sent only now, because a refusal after it would be too late.
        if (next.expectsContinue) next.writeContinue()
        runKeeping(this.#context.run, next)
      } else answerRefusal(next, next.refusal, this.#context.refuse)
    }
    if (this.#running < this.#unanswered.length) this.#pause()
    else this.#resume()
  }

  /** Whether the parser may continue: no request waits, and another request or the rest of one may follow. */
  #mayRead(): boolean {
    return this.#running === this.#unanswered.length && (!this.#isOver || this.#newest?.req.complete === false)
  }

  /** Whether a request may run in parallel with the current ones. RFC 9112 §9.3.2 allows this only for safe requests. */
  #hasRoom(next: BoundedResponse): boolean {
    const [first] = this.#unanswered
    if (this.#running === 0 || first === undefined) return true
    if (!isSafe(next) || !isSafe(first)) return false
    const { limits, budget, tick } = this.#context
    const { bytes, responseBytes } = this.#budget
    const isFull = responseBytes > limits.unreadLimitBytes || bytes > limits.connectionBudgetBytes
    return this.#running < limits.pipelineLimit && !isFull && !budget.isOver && tick.take(1)
  }

  #pause(): void {
    if (this.#isPaused) return
    this.#isPaused = true
    this.#socket.pause()
  }

  #resume(): void {
    if (!this.#isPaused || !this.#mayRead()) return
    const { tick } = this.#context
    const isCostly = this.#parser.hasChunks || this.#isCostly()
    if (isCostly && !tick.take(this.#parser.isWaiting ? requestsOfChunks : requestsOfRead)) {
      this.#startSoon()
      return
    }
    const hasFed = this.#parser.feed()
    if (hasFed && this.#mayRead() && this.#parser.hasChunks) this.#startSoon()
    if (!this.#mayRead() || this.#parser.isWaiting) return
    this.#isPaused = false
    this.#socket.resume()
  }

  /** Ends the sending side after the last response. */
  #end(): void {
    const socket = this.#socket
    if (this.#linger.hasBegun || socket.destroyed) return
    this.#isOver = true
    if (this.#refusal === undefined) socket.end()
    else socket.end(this.#refusal)
    this.#linger.begin(this.#isSpare ? 0 : lingerMaximumMillis)
    if (this.#isPaused || this.#refusal !== undefined || this.#newest?.req.complete === false) this.#dropInput()
  }

  #dropInput(): void {
    this.#isPaused = false
    this.#parser.drop()
    this.#budget.setUnparsed(0)
    this.#linger.drop()
  }

  #closed(): void {
    this.#context.tick.cancel(this.#startWaiting)
    this.#linger.stop()
    clearTimeout(this.#spare)
    this.#parser.drop()
    this.#budget.end()
    const unanswered = this.#unanswered.slice(0, this.#running).map(({ req }) => req.method ?? "")
    // Node destroys responses too, but not after CONNECT.
    for (const response of this.#unanswered) response.destroy()
    this.#context.closed(this.#socket, this.#reason ?? (unanswered.length > 0 ? "client_disconnected" : undefined), unanswered)
  }
}
