/** A process's connections and their queue. Both have limits, so that callers of a slow store wait briefly and do not pile up. */
import * as Either from "effect/Either"
import { type Answer, type Connection, type ConnectionOptions, connect, type Rows, type Statement } from "./connection.js"
import { losesName, refusesParameter, StatementFailed } from "./errors.js"
import type { PoolState } from "./pool-state.js"

/** The maximum number of statements that wait for a connection. Further statements are refused immediately. */
const waitingMaximum = 1_024

/** The maximum number of pending statements on one connection. A slow statement delays those behind it. */
const inFlightMaximum = 16

/**
 * How many connections a statement leaves for others. A write can wait for a locked row or a standby, and holds its connection
 * meanwhile. One connection is always left for reads, and one more for statements that do not wait for any row.
 */
const leaves = { nothing: 0, "a commit": 1, "a row": 2 } as const satisfies Record<Statement["mayWaitFor"], number>

/** Another connection is opened when every connection has this many pending statements. */
const inFlightEnough = 4

/** Interval between checks for late statements, in ms. */
const sweepMillis = 50

/** How far the server may exceed its own timeout before the connection is cut, in ms. */
const silenceGraceMillis = 500

/**
 * How long statements are sent without names after the server did not recognise a name, in ms. The period is limited, because
 * perhaps only one preparation failed, after the next statement had already been sent.
 */
const namelessMillis = 60_000

/** The longest wait between two connection attempts, in ms. The wait is random, and its upper bound doubles with each attempt. */
const reconnectMaximumMillis = 250

/** A connection is replaced after this time plus up to 25 %, in ms, so that load reaches new servers and DNS is queried again. */
const lifetimeMillis = 30 * 60_000

/** How long closing waits for pending statements, in ms. */
const closeMillis = 1_000

interface Job {
  readonly statement: Statement
  readonly deadlineMillis: number
  /** The job's number, in order of arrival. */
  readonly place: number
  answer: Answer | undefined
}

export type Pool = ReturnType<typeof makePool>

/** Creates a pool. In a cluster, a plan depends on the nodes of its parameter values, so the server caches no statement. */
export const makePool = (size: number, options: ConnectionOptions) => {
  const connections = new Set<Connection>()
  /** Connections that accept no more statements but still have pending statements. */
  const leaving = new Set<Connection>()
  /** The members of `connections` whose last statement can wait for a commit or a row. */
  const held = new Set<Connection>()
  const outstanding = new Set<Job>()
  const queues: Record<Statement["mayWaitFor"], Array<Job>> = { nothing: [], "a commit": [], "a row": [] }
  let jobs = 0
  let connecting = 0
  let failures = 0
  let lastFailure: unknown
  let isClosed = false
  let askTimeout = true
  let namelessUntilMillis = options.isSpread === true ? Number.POSITIVE_INFINITY : 0
  let sweeper: NodeJS.Timeout | undefined
  let reconnect: NodeJS.Timeout | undefined

  const finish = (job: Job, answer: Either.Either<Rows, StatementFailed>): void => {
    const { answer: tell } = job
    if (tell === undefined) return
    job.answer = undefined
    outstanding.delete(job)
    tell(answer)
  }

  const fail = (job: Job, reason: string): void =>
    finish(job, Either.left(new StatementFailed({ outcome: "unavailable", cause: new Error(reason, { cause: lastFailure }) })))

  const waiting = (): number => queues.nothing.length + queues["a commit"].length + queues["a row"].length

  const stillWaiting = (): ReadonlyArray<Job> =>
    Object.values(queues)
      .flat()
      .filter(({ answer }) => answer !== undefined)

  const dispatch = (): void => {
    for (;;) {
      const connection = leastBusy()
      if (connection === undefined || connection.inFlight() >= inFlightMaximum) break
      const queue = nextQueue()
      const job = queue?.shift()
      if (job === undefined) break
      send(connection, job)
    }
    grow()
  }

  /** The queue with the oldest job that can be sent now. */
  const nextQueue = (): Array<Job> | undefined => {
    let next: Array<Job> | undefined
    for (const queue of Object.values(queues)) {
      const [first] = queue
      if (first === undefined) continue
      const { mayWaitFor } = first.statement
      if (mayWaitFor !== "nothing" && held.size >= Math.max(1, size - leaves[mayWaitFor])) continue
      if (next?.[0] === undefined || first.place < next[0].place) next = queue
    }
    return next
  }

  /** The connection with the fewest pending statements that no statement occupies. All statements share a lone connection. */
  const leastBusy = (): Connection | undefined => {
    let best: Connection | undefined
    for (const connection of connections) {
      if (held.has(connection) && size > 1) continue
      if (best === undefined || connection.inFlight() < best.inFlight()) best = connection
    }
    return best
  }

  const send = (connection: Connection, job: Job): void => {
    const holds = job.statement.mayWaitFor !== "nothing"
    if (holds) held.add(connection)
    const isNameless = performance.now() < namelessUntilMillis
    connection.send(isNameless ? { ...job.statement, name: undefined } : job.statement, (answer) => {
      if (holds) held.delete(connection)
      if (Either.isLeft(answer) && losesName(answer.left.cause)) {
        namelessUntilMillis = Math.max(namelessUntilMillis, performance.now() + namelessMillis)
      }
      finish(job, answer)
      if (waiting() > 0) dispatch()
    })
  }

  const grow = (): void => {
    if (isClosed || reconnect !== undefined || connections.size + connecting >= size) return
    // After a refused connection, make only one attempt at a time.
    if (connecting > 0 && (failures > 0 || connections.size === 0)) return
    const isBusy = (leastBusy()?.inFlight() ?? inFlightEnough) >= inFlightEnough
    if (outstanding.size > 0 && (waiting() > 0 || isBusy)) void open()
  }

  const release = (connection: Connection): void => {
    connections.delete(connection)
    held.delete(connection)
    if (connection.inFlight() > 0) leaving.add(connection)
  }

  const open = async (): Promise<void> => {
    connecting += 1
    try {
      const statementTimeoutMillis = askTimeout ? options.statementTimeoutMillis : 0
      const connection = await connect({ ...options, statementTimeoutMillis }, release)
      failures = 0
      if (isClosed) connection.retire()
      else if (connection.isOpen()) {
        connections.add(connection)
        setTimeout(connection.retire, lifetimeMillis * (1 + Math.random() / 4)).unref()
      }
    } catch (thrown) {
      lastFailure = thrown
      // Without the server's timeout, this process still detects an unresponsive server.
      if (askTimeout && refusesParameter(thrown)) askTimeout = false
      else {
        failures += 1
        const boundMillis = Math.min(reconnectMaximumMillis, 20 * 2 ** failures)
        reconnect = setTimeout(() => {
          reconnect = undefined
          dispatch()
        }, Math.random() * boundMillis)
      }
    } finally {
      connecting -= 1
    }
    dispatch()
  }

  /**
   * Cuts a connection whose statement has been pending for too long, and every other connection that has received nothing since
   * that statement was sent. A network that drops packets also kills idle connections, and each would fail a request.
   */
  const cutSilent = (now: number): void => {
    const open = [...connections, ...leaving]
    const sinceMillis = Math.min(...open.map((connection) => connection.owesSinceMillis()))
    if (now - sinceMillis <= options.statementTimeoutMillis + silenceGraceMillis) return
    for (const connection of open) {
      if (connection.heardMillis() <= sinceMillis) connection.cut(new Error("The database stopped responding"))
    }
  }

  const sweep = (): void => {
    const now = performance.now()
    for (const job of outstanding) if (job.deadlineMillis <= now) fail(job, "The database did not respond in time")
    for (const queue of Object.values(queues)) {
      const still = queue.filter(({ answer }) => answer !== undefined)
      if (still.length < queue.length) queue.splice(0, queue.length, ...still)
    }
    cutSilent(now)
    for (const connection of leaving) if (connection.inFlight() === 0) leaving.delete(connection)
    const owed = leaving.size > 0 || [...connections].some((connection) => connection.inFlight() > 0)
    if (outstanding.size === 0 && !owed) {
      clearInterval(sweeper)
      sweeper = undefined
    } else dispatch()
  }

  return {
    /** Sends a statement when a connection is free. Answers by the deadline (`performance.now()`), at least with a failure. */
    submit: (statement: Statement, deadlineMillis: number, answer: Answer) => {
      jobs += 1
      const job: Job = { statement, deadlineMillis, place: jobs, answer }
      if (isClosed) return fail(job, "The store is closed")
      if (waiting() >= waitingMaximum) return fail(job, `${waitingMaximum} statements are already waiting for the store`)
      outstanding.add(job)
      queues[statement.mayWaitFor].push(job)
      sweeper ??= setInterval(sweep, sweepMillis)
      dispatch()
    },

    state: (): PoolState => ({
      connections: connections.size,
      inFlight: outstanding.size - stillWaiting().length,
      waiting: waiting(),
    }),

    close: async (): Promise<void> => {
      isClosed = true
      clearTimeout(reconnect)
      for (const job of stillWaiting()) fail(job, "The store is closed")
      for (const queue of Object.values(queues)) queue.length = 0
      const open = [...connections, ...leaving]
      for (const connection of open) connection.retire()
      const endMillis = performance.now() + closeMillis
      while (open.some((connection) => connection.inFlight() > 0) && performance.now() < endMillis) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      for (const connection of open) if (connection.inFlight() > 0) connection.cut(new Error("The store is closed"))
      clearInterval(sweeper)
    },
  }
}
