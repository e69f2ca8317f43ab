/**
 * One connection to the server. Statements are sent one behind the other without
 * waiting for answers (pipelining), each a transaction of its own. Some are prepared under a name, but only
 * where the server itself is at the other end: a pooler may hand every one to another server process.
 */
import { Socket } from "node:net"
import { Effect, Either } from "effect"
import { Client } from "pg"
import { endsConnection, StatementFailed, verdictOf } from "./errors.js"

/** Rows as arrays, in the order of the columns: 64-bit integers as `bigint`, everything else as text. */
export type Rows = ReadonlyArray<ReadonlyArray<unknown>>

export interface Statement {
  readonly text: string
  /** Under which the server may keep it, parsed and planned: see {@link prepared}. */
  readonly name?: string | undefined
  readonly values: ReadonlyArray<unknown>
  /** What may keep it waiting, besides work: a read waits for nothing, a write for its commit, and maybe for a row that somebody has locked. */
  readonly mayWaitFor: "nothing" | "a commit" | "a row"
}

/** A text under a name. */
export interface PreparedText {
  readonly name: string
  readonly text: string
}

/**
 * A text that requests send often, whatever their values, and whose best plan is the same for all of them: a row by its key, not a page.
 * Under one name there is one text.
 */
export const prepared = (name: string, text: string): PreparedText => ({ name, text })

type Answer = (answer: Either.Either<Rows, StatementFailed>) => void

export interface Connection {
  /** How many statements were sent and not answered yet. */
  readonly inFlight: () => number
  /** For how long the server has owed an answer, in ms. */
  readonly silentMillis: () => number
  /** Whether it takes statements. */
  readonly isOpen: () => boolean
  readonly send: (statement: Statement, answer: Answer) => void
  /** Takes no more statements, and closes after the last answer. */
  readonly retire: () => void
  /** Closes now. What was sent is answered with the verdict `unknown`. */
  readonly cut: (cause: Error) => void
}

/** Runs one statement. */
export type Run = (text: string, values?: ReadonlyArray<unknown>) => Effect.Effect<Rows, StatementFailed>

/** Runs statements on one connection, one after the other. */
export const runOn =
  (connection: Connection): Run =>
  (text, values = []) =>
    Effect.async((resume) => connection.send({ text, values, mayWaitFor: "a row" }, resume))

export interface ConnectionOptions {
  /** `postgres://…`, with the password. */
  readonly url: string
  readonly applicationName: string
  /** Asked of the server when the connection is made. 0 asks for nothing. */
  readonly statementTimeoutMillis: number
  readonly connectTimeoutMillis: number
}

/**
 * How old a plan may get that the server keeps, in ms. It is made for the sizes that the tables have then, and nothing
 * else tells the server that a table has grown until it is analysed.
 */
const planMillis = 1_000

/** How long a silent peer may be gone before the kernel starts to ask for it, in ms. */
const keepAliveDelayMillis = 10_000

/** Type number of `int8`: the only type we read that is not text. */
const int8 = 20

/** Every value is read as text but `int8`, which is exact. Nothing is set globally. */
const types = { getTypeParser: (type: number) => (type === int8 ? BigInt : (text: string) => text) }

interface InFlight {
  readonly writes: boolean
  readonly answer: Answer
  warning: unknown
}

/** Makes a connection. `closed` is called once, when a connection that was made takes no more statements. */
export const connect = async (options: ConnectionOptions, closed: (connection: Connection) => void): Promise<Connection> => {
  const socket = new Socket()
  const client = new Client({
    connectionString: options.url,
    application_name: options.applicationName,
    ...(options.statementTimeoutMillis > 0 && { statement_timeout: options.statementTimeoutMillis }),
    connectionTimeoutMillis: options.connectTimeoutMillis,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMillis,
    pipeline: true,
    stream: () => socket,
    types: types as never, // Safe: pg calls `getTypeParser` with the number of the type and asks for texts only.
  })

  /** In the order of sending, which is the order of answers. */
  const sent = new Set<InFlight>()
  let isOpen = true
  let lostBy: unknown
  let lastSignMillis = 0
  /** Whether each statement reaches the process that keeps the names, as far as is known. */
  let isDirect = false
  let hasAsked = false
  let plannedAtMillis = 0

  const stopTaking = (): void => {
    if (!isOpen) return
    isOpen = false
    closed(connection)
  }

  const lose = (cause: unknown): void => {
    lostBy ??= cause
    stopTaking()
    socket.destroy()
    const lost = [...sent]
    sent.clear()
    for (const { answer } of lost) answer(Either.left(new StatementFailed({ verdict: "unknown", cause })))
  }

  const endWhenIdle = (): void => {
    if (sent.size === 0) void client.end()
  }

  const settle = (statement: InFlight, answer: Either.Either<Rows, StatementFailed>): void => {
    // A lost connection has answered everything already.
    if (!sent.delete(statement)) return
    lastSignMillis = performance.now()
    statement.answer(answer)
    if (!isOpen) endWhenIdle()
  }

  /** A pooler greets with a number of its own, and answers this with that of a server process. */
  const askWhetherDirect = (): void => {
    hasAsked = true
    connection.send({ text: "SELECT pg_backend_pid()", values: [], mayWaitFor: "nothing" }, (answer) => {
      // Safe: the library keeps the number of the greeting under this name, and `null` if there was none.
      const { processID } = client as unknown as { readonly processID: number | null }
      isDirect = Either.isRight(answer) && answer.right[0]?.[0] === String(processID)
      plannedAtMillis = performance.now()
    })
  }

  const forgetPlans = (): void => {
    plannedAtMillis = performance.now()
    connection.send({ text: "DISCARD PLANS", values: [], mayWaitFor: "nothing" }, (answer) => {
      if (Either.isLeft(answer)) isDirect = false
    })
  }

  const nameIfKept = (name: string | undefined): string | undefined => {
    if (name === undefined) return undefined
    if (!hasAsked) askWhetherDirect()
    if (isDirect && performance.now() - plannedAtMillis > planMillis) forgetPlans()
    return isDirect ? name : undefined
  }

  const connection: Connection = {
    inFlight: () => sent.size,
    silentMillis: () => (sent.size === 0 ? 0 : performance.now() - lastSignMillis),
    isOpen: () => isOpen,
    send: ({ text, name, values, mayWaitFor }, answer) => {
      if (!isOpen) {
        // Between two statements of a transaction. The library would answer an error that looks like a fault of ours.
        const cause = new Error("The connection to the store has ended", { cause: lostBy })
        answer(Either.left(new StatementFailed({ verdict: "again", cause })))
        return
      }
      const kept = nameIfKept(name)
      // A write's answer is a promise.
      const statement: InFlight = { writes: mayWaitFor !== "nothing", answer, warning: undefined }
      if (sent.size === 0) lastSignMillis = performance.now()
      sent.add(statement)
      client.query(
        { text, ...(kept !== undefined && { name: kept }), values: [...values], rowMode: "array" },
        (thrown: Error | null, result) => {
          if (thrown !== null) {
            if (endsConnection(thrown)) stopTaking()
            settle(statement, Either.left(new StatementFailed({ verdict: verdictOf(thrown), cause: thrown })))
          } else if (statement.writes && statement.warning !== undefined) {
            settle(statement, Either.left(new StatementFailed({ verdict: "unknown", cause: statement.warning })))
          } else {
            settle(statement, Either.right(result.rows))
          }
        },
      )
    },
    retire: () => {
      stopTaking()
      endWhenIdle()
    },
    cut: lose,
  }

  client.on("error", lose)
  client.on("end", () => lose(new Error("The connection to the store ended")))
  // Class 01 is a warning. About a write it says that the promise is not whole: a standby that had to
  // confirm the commit did not, because somebody cancelled the wait (syncrep.c of PostgreSQL).
  client.on("notice", (notice) => {
    const [first] = sent
    if (first !== undefined && notice.code?.startsWith("01") === true) first.warning = notice
  })

  try {
    await client.connect()
  } catch (thrown) {
    isOpen = false
    socket.destroy()
    throw thrown
  }
  return connection
}
