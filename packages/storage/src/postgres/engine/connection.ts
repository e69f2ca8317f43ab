/**
 * One connection. Statements are sent without waiting for earlier results (pipelining), each in its own transaction. Some are
 * prepared under a name, but not through a pooler, which can send each statement to another process.
 */
import { Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Client, type ClientConfig, DatabaseError } from "pg"
import { splitAddress } from "./address.js"
import { ConnectionLost, doubtsCommit, endsConnection, outcomeOf, StatementFailed } from "./errors.js"
import type { PostgresOptions } from "./options.js"
import { openStream } from "./stream.js"

/** Columns in order: 64-bit integers as `bigint`, everything else as text. */
export type Row = ReadonlyArray<unknown>

export type Rows = ReadonlyArray<Row>

export interface Statement {
  readonly text: string
  /** The name under which the server caches the parsed and planned statement: see {@link prepared}. */
  readonly name?: string | undefined
  readonly values: ReadonlyArray<unknown>
  /** What the statement may wait for: a read waits for nothing; a write waits for its commit, and perhaps for a locked row. */
  readonly mayWaitFor: "nothing" | "a commit" | "a row"
}

export interface PreparedText {
  readonly name: string
  readonly text: string
}

export type Text = string | PreparedText

export type BoundStatement = readonly [text: Text, values: ReadonlyArray<unknown>]

/** A statement with one best plan for all values: a row by key, or a page with its limit in the text. A name has one text. */
export const prepared = (name: string, text: string): PreparedText => ({ name, text })

export type Answer = (answer: Either.Either<Rows, StatementFailed>) => void

export interface Connection {
  readonly inFlight: () => number
  /** When the server last sent data, from `performance.now()`. */
  readonly heardMillis: () => number
  /** When the pending statements began to wait for a result, from the same clock; infinite if no statement is pending. */
  readonly owesSinceMillis: () => number
  /** Whether the connection accepts statements. */
  readonly isOpen: () => boolean
  readonly send: (statement: Statement, answer: Answer) => void
  /** Stops accepting statements, and closes after the last result. */
  readonly retire: () => void
  /** Closes immediately. Pending statements get the outcome `unknown`. */
  readonly cut: (cause: Error) => void
}

export type Run<E = StatementFailed> = (text: string, values?: ReadonlyArray<unknown>) => Effect.Effect<Rows, E>

/** Runs statements on one connection, one after the other. */
export const runOn =
  (connection: Connection): Run =>
  (text, values = []) =>
    Effect.async((resume) => connection.send({ text, values, mayWaitFor: "a row" }, resume))

/** Runs work in one transaction of a connection, and rolls it back after a failure. */
export const inTransaction = <A, E>(run: Run, work: Effect.Effect<A, E>): Effect.Effect<A, E | StatementFailed> =>
  run("BEGIN").pipe(
    Effect.zipRight(work),
    Effect.zipLeft(run("COMMIT")),
    Effect.tapError(() => Effect.ignore(run("ROLLBACK"))),
  )

export interface ConnectionOptions {
  /** A `postgres://` URL that includes the password. */
  readonly url: string
  readonly applicationName: string
  /** The statement timeout to set on the server, in ms. 0 sets none. */
  readonly statementTimeoutMillis: number
  readonly connectTimeoutMillis: number
  /** See {@link PostgresOptions}. */
  readonly onPlainText?: PostgresOptions["onPlainText"]
  /** The value of `synchronous_commit` that was checked when the store was opened. */
  readonly checkedCommit?: string | undefined
  /** Whether this is a Citus coordinator. If so, the session requests level debug1, at which Citus forwards nodes' messages. */
  readonly isSpread?: boolean
}

/**
 * Sets up a session independently of the settings of its role and database, so that it receives warnings, its statements do not
 * fail because of concurrent writes, and its commits are as safe as when the store was opened. Returns whether the connection is
 * direct. Through a pooler, which sends its own process ID, nothing is set, because the server process's next client would
 * inherit the settings.
 */
const prepareSession = `SELECT CASE WHEN pg_backend_pid() = $1::int THEN
  set_config('client_min_messages', CASE WHEN $2::text IS NOT NULL THEN $2::text
    WHEN current_setting('client_min_messages') IN ('error', 'fatal', 'panic') THEN 'warning'
    ELSE current_setting('client_min_messages') END, false)
  || set_config('default_transaction_isolation', 'read committed', false)
  || CASE WHEN $3::text IS NULL THEN '' ELSE set_config('synchronous_commit', CASE
    WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN $3::text
    ELSE current_setting('synchronous_commit') END, false) END END`

/** How long the server may cache a plan, in ms. The server notices that a table has grown only when it analyses the table. */
const planMillis = 1_000

/** How long a connection may be idle before the kernel probes the peer, in ms. */
const keepAliveDelayMillis = 10_000

/** How long a server may take to close a connection that the client has closed, in ms. */
const closeMillis = 1_000

/** The type OID of `int8`, the only type that is not read as text. */
const int8 = 20

/** Reads `int8` as bigint and every other type as text. The library's global settings do not change. */
const types = { getTypeParser: (type: number) => (type === int8 ? BigInt : (text: string) => text) }

interface InFlight {
  readonly writes: boolean
  readonly answer: Answer
  warning: unknown
}

/** Opens a connection. `closed` is called once, when the connection stops accepting statements. */
export const connect = async (options: ConnectionOptions, closed: (connection: Connection) => void): Promise<Connection> => {
  const { client, socket, late } = await openClient(options, {
    application_name: options.applicationName,
    ...(options.statementTimeoutMillis > 0 && { statement_timeout: options.statementTimeoutMillis }),
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMillis,
    pipeline: true,
    types: types as never, // Safe: pg calls `getTypeParser` with the type OID, and only for values in text format.
  })

  /** Statements in sending order, which is also the order of the results. */
  const sent = new Set<InFlight>()
  let isOpen = true
  let lostBy: unknown
  let heardMillis = performance.now()
  let owesSinceMillis = 0
  /** Whether every statement is known to reach the server process that stores the prepared statements. */
  let isDirect = false
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
    for (const { answer } of lost) answer(Either.left(new StatementFailed({ outcome: "unknown", cause })))
  }

  const endWhenIdle = (): void => {
    if (sent.size > 0) return
    void client.end()
    // An unresponsive server never closes its side, and an open socket keeps the process alive.
    setTimeout(() => socket.destroy(), closeMillis).unref()
  }

  const settle = (statement: InFlight, answer: Either.Either<Rows, StatementFailed>): void => {
    // A lost connection has no pending statements.
    if (!sent.delete(statement)) return
    heardMillis = performance.now()
    owesSinceMillis = heardMillis
    statement.answer(answer)
    if (!isOpen) endWhenIdle()
  }

  const forgetPlans = (): void => {
    plannedAtMillis = performance.now()
    connection.send({ text: "DISCARD PLANS", values: [], mayWaitFor: "nothing" }, (answer) => {
      if (Either.isLeft(answer)) isDirect = false
    })
  }

  const nameIfKept = (name: string | undefined): string | undefined => {
    if (name === undefined) return undefined
    if (isDirect && performance.now() - plannedAtMillis > planMillis) forgetPlans()
    return isDirect ? name : undefined
  }

  const connection: Connection = {
    inFlight: () => sent.size,
    heardMillis: () => heardMillis,
    owesSinceMillis: () => (sent.size === 0 ? Number.POSITIVE_INFINITY : owesSinceMillis),
    isOpen: () => isOpen,
    send: ({ text, name, values, mayWaitFor }, answer) => {
      if (!isOpen) {
        // Otherwise, within a transaction, the library would report an error that looks like a bug in our code.
        const cause = new ConnectionLost("The connection to the store was lost", { cause: lostBy })
        answer(Either.left(new StatementFailed({ outcome: "again", cause })))
        return
      }
      const kept = nameIfKept(name)
      const statement: InFlight = { writes: mayWaitFor !== "nothing", answer, warning: undefined }
      if (sent.size === 0) owesSinceMillis = performance.now()
      sent.add(statement)
      client.query(
        { text, ...(kept !== undefined && { name: kept }), values: [...values], rowMode: "array" },
        (thrown: Error | null, result) => {
          if (thrown !== null) {
            if (endsConnection(thrown)) stopTaking()
            settle(statement, Either.left(new StatementFailed({ outcome: outcomeOf(thrown), cause: thrown })))
          } else if (statement.writes && statement.warning !== undefined) {
            settle(statement, Either.left(new StatementFailed({ outcome: "unknown", cause: statement.warning })))
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
  client.on("end", () => lose(new ConnectionLost("The connection to the store was closed")))
  // For a write, a notice can mean that the commit is in doubt.
  client.on("notice", (notice) => {
    const [first] = sent
    if (first !== undefined && doubtsCommit(notice, options.isSpread === true)) first.warning = new Error(notice.message)
  })

  try {
    await client.connect()
    // Safe: the library stores the process ID under this name; it is `null` if the server did not send one.
    const { processID } = client as unknown as { readonly processID: number | null }
    const values = [processID, options.isSpread === true ? "debug1" : null, options.checkedCommit ?? null]
    const prepared = await new Promise<Either.Either<Rows, StatementFailed>>((resolve) =>
      connection.send({ text: prepareSession, values, mayWaitFor: "nothing" }, resolve),
    )
    if (!isOpen && Either.isLeft(prepared)) throw prepared.left.cause
    isDirect = Either.isRight(prepared) && prepared.right[0]?.[0] != null
    plannedAtMillis = performance.now()
  } catch (thrown) {
    isOpen = false
    socket.destroy()
    throw lostBy ?? thrown
  } finally {
    clearTimeout(late)
  }
  return connection
}

/** Whether a server responds to a new connection, even by refusing it. A pooler responds without contacting the server. */
export const greets = async (options: ConnectionOptions): Promise<boolean> => {
  let ended = (): void => {}
  try {
    const { client, socket, late } = await openClient(options, {})
    ended = () => {
      clearTimeout(late)
      socket.destroy()
    }
    client.on("error", () => {}) // The outcome of `connect` is the answer.
    await client.connect()
    return true
  } catch (thrown) {
    return thrown instanceof DatabaseError
  } finally {
    ended()
  }
}

/** Creates the library's client on a connected stream. The caller clears the timer once the client has connected. */
const openClient = async ({ url, connectTimeoutMillis, onPlainText }: ConnectionOptions, config: ClientConfig) => {
  const { plainUrl, tls } = splitAddress(url)
  const { host, port } = new Client({ connectionString: plainUrl })
  const raw = new Socket()
  let socket = raw
  const late = setTimeout(() => socket.destroy(new ConnectionLost("The database did not respond in time")), connectTimeoutMillis)
  try {
    socket = await openStream(raw, { host, port, tls }, onPlainText)
  } catch (thrown) {
    clearTimeout(late)
    raw.destroy()
    throw thrown
  }
  // The library connects its stream itself, and waits for this event.
  socket.connect = () => {
    process.nextTick(() => socket.emit("connect"))
    return socket
  }
  return { client: new Client({ ...config, connectionString: plainUrl, ssl: false, stream: () => socket }), socket, late }
}
