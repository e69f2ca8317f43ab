/**
 * One connection: what of it runs, in which order, and how it ends.
 *
 * Node's parser tells of requests until one has to wait (`intake.ts`), and Node brings the answers into
 * the order of the requests. What is decided here is which request may start, which one is the last, and when the connection closes.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { Config } from "../config.js"
import type { ClosingReason } from "../telemetry/closing-observer.js"
import type { HttpError } from "./error-response.js"
import { Intake } from "./intake.js"
import { Holding, type Memory } from "./memory.js"
import {
  answerRefusal,
  headFailure,
  malformed,
  originIn,
  overloaded,
  parserFailure,
  type RefusalContext,
  refusalText,
} from "./refusal.js"
import { joinChunks } from "./request/joined-chunks.js"
import type { ServiceResponse } from "./service-response.js"
import { dropInput, type Tick } from "./tick.js"

/** How long a connection that has nothing more to say may stay silent before it closes, in ms. */
const lingerMillis = 1_000
/** How long it may go on sending, in ms: as long as the longest request. */
const lingerMaximumMillis = 30_000

/** How long a connection beyond the limit may take to send its one request, in ms. */
const spareMillis = 1_000
/** What it may ask for. */
const healthTargets: ReadonlySet<string> = new Set(["/healthz", "/readyz"])

/** What a caller can make the service hold. */
export type ConnectionLimits = Pick<
  Config,
  "pipelineLimit" | "unreadLimitBytes" | "connectionBudgetBytes" | "readMillis" | "keepAliveMillis"
>

/** What a parsed request takes beside the texts of its head, in bytes: with its response and context, as a heap snapshot tells. */
const requestBytes = 2_048

/** How many bytes a client has to read in `READ_MS` beyond the first: 16 KiB/s of 30 s. */
const readBytes = 30 * 16_384
/** This many bytes may wait in the buffers of both kernels, where no program sees them drain: by default the maxima of Linux (tcp(7)). */
const kernelBytes = 6 * 1_048_576

/** What the parser gets of a body in chunks at once may cost as much as so many requests. */
const requestsOfChunks = 64

/** What all connections of a server share. */
export interface ConnectionContext extends RefusalContext {
  readonly limits: ConnectionLimits
  readonly memory: Memory
  readonly tick: Tick
  /** Whether the next request of each connection is its last. */
  readonly isDraining: () => boolean
  /** Runs a request. */
  readonly run: (request: IncomingMessage, response: ServiceResponse) => void
  /** @param unanswered  methods of the requests that ran and whose answer did not leave */
  readonly closed: (socket: Socket, reason: ClosingReason | undefined, unanswered: ReadonlyArray<string>) => void
}

/** Makes reading an incomplete body fail, and leaves the connection open for the response. */
const breakOff = (request: IncomingMessage, error: HttpError): void => {
  // Node's own would take the connection along.
  request._destroy = (thrown, done) => done(request.listenerCount("error") > 0 ? thrown : null)
  request.destroy(error)
}

/** Methods that change nothing (RFC 9110 §9.2.1). */
const safeMethods = new Set(["GET", "HEAD", "OPTIONS", "TRACE"])

const isSafe = ({ req }: ServiceResponse): boolean => safeMethods.has(req.method ?? "")

export class Connection {
  readonly #socket: Socket
  readonly #context: ConnectionContext
  readonly #intake: Intake
  /** Requests whose answer has not left, oldest first: those that run, then those that wait. */
  readonly #unanswered: Array<ServiceResponse> = []
  #running = 0
  /** The request that was taken last, at least until it was read and answered. */
  #newest: ServiceResponse | undefined
  readonly #holding: Holding
  /** Whether nothing runs behind what was taken so far. */
  #isOver = false
  /** The response to a malformed message behind the last request. */
  #refusal: string | undefined
  /** Whether nothing is read, because what was read waits. */
  #isHeld = false
  /** Whether bytes that still arrive are dropped. */
  #isDropping = false
  #reason: ClosingReason | undefined
  #soon: NodeJS.Immediate | undefined
  #linger: NodeJS.Timeout | undefined
  readonly #isSpare: boolean
  readonly #spare: NodeJS.Timeout | undefined
  /** Answers that have left, and how many they were when the one that leaves now was first seen to be stuck. */
  #answers = 0
  #answersWhenStuck = -1
  #stuckSinceMillis = 0
  #bytesWhenAsked = -1
  #bytesWhenIdle = -1
  #idleSinceMillis = 0

  /** @param isSpare  whether there are as many connections as may be, and this one is kept for the health of the process */
  constructor(socket: Socket, context: ConnectionContext, isSpare = false) {
    this.#socket = socket
    this.#context = context
    this.#holding = new Holding(context.memory)
    this.#isSpare = isSpare
    if (isSpare) this.#spare = setTimeout(() => this.#newest ?? this.close("connection_limit"), spareMillis).unref()
    this.#intake = new Intake(socket, {
      isFull: ({ headers }) =>
        this.#isOver || this.#running < this.#unanswered.length || headers["transfer-encoding"] !== undefined,
      stopped: () => {
        this.#holding.setRest(this.#intake.bytes)
        if (context.memory.isOver) this.#refuseRest()
        this.#hold()
        if (this.#mayRead()) this.#startSoon()
      },
      failed: (error) => this.refuse(parserFailure(error) ?? malformed, originIn(error.rawPacket)),
    })
    // Node takes its own listener off before it tells of CONNECT, and a reset would then end the process.
    socket.on("error", () => {})
    // Node reads on by itself at the end of each message.
    socket.on("resume", () => {
      if (this.#isHeld) {
        socket.pause()
        if (this.#intake.isWaiting && this.#mayRead()) this.#startSoon()
      } else if (this.#isDropping) this.#leaveParser()
    })
    // Node calls it after an answer that says that the connection closes, and its own would not wait until that is read.
    socket.destroySoon = () => this.#end()
    socket.once("close", () => this.#closed())
  }

  /** Takes the next request, and starts it when its turn comes. */
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
    response.failure = headFailure(request) ?? (isOld && this.#intake.isRtsp(request) ? malformed : undefined)
    if (this.#isSpare && !healthTargets.has(request.url ?? "")) {
      response.failure ??= overloaded
      this.#reason ??= "connection_limit"
    }
    // HTTP/1.0 keeps connections by a header of its own. Behind Upgrade Node loses what it has read already.
    const isLast = response.failure !== undefined || isOld || request.headers.upgrade !== undefined
    if (isLast || this.#isSpare || this.#context.isDraining()) response.shouldKeepAlive = false
    this.#isOver = !response.shouldKeepAlive
    this.#newest = response
    this.#unanswered.push(response)
    this.#holding.add(requestBytes)
    this.#startWaiting()
  }

  /** A response holds this many bytes from now on, or is expected to. */
  holds(response: ServiceResponse, bytes: number): void {
    this.#holding.setResponse(response, bytes)
  }

  /** The head of a response is about to be written. */
  heading(response: ServiceResponse): void {
    // The rest of a refused body is read without a parser: in chunks of one byte it costs as much as thousands of requests.
    const { complete, headers } = response.req
    if (complete || response.statusCode < 400 || headers["transfer-encoding"] === undefined) return
    response.shouldKeepAlive = false
    this.#isOver ||= response === this.#newest
  }

  /** The oldest answer has left. */
  answered(): void {
    const answered = this.#unanswered.shift()
    this.#running -= 1
    if (answered !== undefined) this.holds(answered, 0)
    this.#holding.add(-requestBytes)
    this.#answers += 1
    if (this.#unanswered.length > this.#running) {
      this.#startSoon()
    } else if (this.#unanswered.length === 0) {
      if (this.#isOver) this.#end()
      else if (this.#newest?.req.complete === true) this.#newest = undefined
    }
  }

  /** What came last is broken, or did not come to its end in time: nothing runs behind it, and the caller is told in its turn. */
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

  /** Refuses what waits for the parser, which would hold as much memory as thousands of requests. */
  #refuseRest(): void {
    this.refuse(overloaded, undefined)
    this.#intake.drop()
    this.#holding.setRest(0)
  }

  /** Makes the newest request the last one, if its answer can still say so and no refusal follows; else the next one is. */
  finish(): void {
    this.#bytesWhenAsked = this.#socket.bytesRead
    const newest = this.#unanswered.at(-1)
    if (this.#isOver || newest === undefined || newest.headersSent || this.#intake.bytes > 0) return
    newest.shouldKeepAlive = false
    this.#isOver = true
  }

  /** Closes if nothing waits for its answer and nothing has arrived since this was asked before. */
  closeIfSilent(): void {
    const bytes = this.#socket.bytesRead
    const isSilent = bytes === this.#bytesWhenAsked && this.#unanswered.length === 0 && !this.#intake.isWaiting
    if (isSilent && this.#linger === undefined) this.#socket.destroy()
    this.#bytesWhenAsked = bytes
  }

  /** Closes at once. */
  close(reason: ClosingReason): void {
    this.#reason ??= reason
    this.#socket.destroy()
  }

  /** Closes if the client has not read a response in time. Asked again and again. */
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
   * Closes although the client has not read its responses. Answers how many bytes become free.
   * The client gets what the system has of them: it would not, were something of its own unread (RFC 9112 §9.6).
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

  /** Closes if it was answered and has been silent since for as long as it is kept. Asked again and again: timers of Node's would be set with each answer. */
  closeIfIdle(nowMillis: number): void {
    const bytes = this.#socket.bytesRead
    if (this.#answers === 0 || this.#unanswered.length > 0 || bytes !== this.#bytesWhenIdle) {
      this.#bytesWhenIdle = bytes
      this.#idleSinceMillis = nowMillis
    } else if (nowMillis - this.#idleSinceMillis >= this.#context.limits.keepAliveMillis) this.#socket.destroy()
  }

  /** In the next tick: others have theirs before, however much one caller has sent. */
  #startSoon(): void {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined
      this.#startWaiting()
    })
  }

  #startWaiting(): void {
    for (
      let next = this.#unanswered[this.#running];
      next !== undefined && this.#hasRoom(next);
      next = this.#unanswered[this.#running]
    ) {
      this.#running += 1
      if (next.failure === undefined) {
        // Not before: behind `100 Continue` a refusal would come too late.
        if (next._expect_continue === true) next.writeContinue()
        this.#context.run(next.req, next)
      } else answerRefusal(next, next.failure, this.#context)
    }
    if (this.#running < this.#unanswered.length) this.#hold()
    else this.#release()
  }

  /** Whether the parser may go on: no request waits, and another one or the rest of one may follow. */
  #mayRead(): boolean {
    return this.#running === this.#unanswered.length && (!this.#isOver || this.#newest?.req.complete === false)
  }

  /** Whether a request may run beside those that do: RFC 9112 §9.3.2 lets only safe ones run side by side. */
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
    if (this.#intake.hasChunks && !this.#context.tick.take(requestsOfChunks)) {
      this.#startSoon()
      return
    }
    this.#intake.feed()
    this.#holding.setRest(this.#intake.bytes)
    if (this.#mayRead() && this.#intake.hasChunks) this.#startSoon()
    if (!this.#mayRead() || this.#intake.isWaiting) return
    this.#isHeld = false
    this.#socket.resume()
  }

  /**
   * Says that no more answers come. What still arrives is read and dropped for a while: if it were not,
   * the system would reset the connection and the caller might lose the last answer (RFC 9112 §9.6).
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

  /** Waits until the caller closes too, is silent for a while, or has sent for too long. */
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
    this.#holding.setRest(0)
    if (this.#socket.isPaused()) this.#socket.resume()
    else this.#leaveParser()
  }

  /** Reads without a parser: it takes no more, and would keep what it took. Only while it reads: Node starts to read again nowhere but there. */
  #leaveParser(): void {
    if (!this.#socket.isPaused()) dropInput(this.#socket, this.#context.tick)
  }

  #closed(): void {
    clearImmediate(this.#soon)
    clearTimeout(this.#linger)
    clearTimeout(this.#spare)
    this.#intake.drop()
    this.#holding.end()
    const unanswered = this.#unanswered.slice(0, this.#running).map(({ req }) => req.method ?? "")
    // Node does the same, but not behind CONNECT.
    for (const response of this.#unanswered) response.destroy()
    this.#context.closed(this.#socket, this.#reason ?? (unanswered.length > 0 ? "client_disconnected" : undefined), unanswered)
  }
}
