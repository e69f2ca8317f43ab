import type { StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { nameOfStore } from "../../database-url.js"
import { StorageNotOpened } from "../../storage-not-opened.js"
import {
  type Connection,
  type ConnectionOptions,
  connect,
  greets,
  type Rows,
  type Run,
  runOn,
  type Statement,
  type Text,
} from "./connection.js"
import { commitOf } from "./durability.js"
import {
  ConnectionLost,
  isUnreachable,
  lacksDisk,
  type Opening,
  type Outcome,
  outcomeOf,
  refusesParameter,
  StatementFailed,
  toFailure,
} from "./errors.js"
import { type Layout, layoutOf } from "./layout.js"
import { type PostgresOptions, postgresDefaults } from "./options.js"
import { makePool, type Pool } from "./pool.js"
import type { PoolState } from "./pool-state.js"

/**
 * Determines whether a statement may be repeated when its outcome is unknown. A `read` may. A `write` must not, nor must an
 * `insert`, a write that waits for no row. A `claim` may: it takes effect only once, because it claims a unique key.
 */
type Kind = "read" | "insert" | "write" | "claim"

const mayWaitFor: Record<Kind, Statement["mayWaitFor"]> = { read: "nothing", insert: "a commit", write: "a row", claim: "a row" }

/** Runs statements on a pool. Repeats a statement if that is safe. */
export interface Statements {
  readonly read: (text: Text, values?: ReadonlyArray<unknown>) => Effect.Effect<Rows, StorageUnavailable>
  /** When the effect succeeds, the change is committed. `arrivedAtMillis` is when the request arrived (`performance.now()`). */
  readonly write: (
    text: Text,
    values?: ReadonlyArray<unknown>,
    arrivedAtMillis?: number,
  ) => Effect.Effect<Rows, StorageUnavailable>
  /** Runs a statement whose failure the caller handles. */
  readonly attempt: (
    kind: Kind,
    text: Text,
    values: ReadonlyArray<unknown>,
    arrivedAtMillis?: number,
  ) => Effect.Effect<Rows, StatementFailed>
  /** Why the server's disk has just refused an `insert` or a `claim`, unless an `insert` has succeeded since then. */
  readonly refusedByDisk: () => StatementFailed | undefined
}

export interface Database extends Statements {
  readonly layout: Layout
  /** For statements on the coordinator's tables and queries about nodes, which statements that wait for a node do not delay. */
  readonly coordinator: Statements
  /** Runs statements on a separate connection as one transaction. The statements are not repeated. */
  readonly transaction: <A, E>(
    work: (run: Run<StorageUnavailable>) => Effect.Effect<A, E>,
  ) => Effect.Effect<A, E | StorageUnavailable>
}

/** The maximum number of separate connections for statements that concern only the coordinator. They are opened on demand. */
const coordinatorPoolSize = 3

/** How long opening a connection may take, in ms: one in the pool, for which requests wait, or a separate one for a command. */
const connectMillis = { pool: 1_000, alone: 10_000 }

/** The timeout of one import statement, in ms. An operator supervises an import. */
const longStatementMillis = 10 * 60_000

/** The longest timeout that a server accepts, in ms. It is used for migrations, which have no time limit. */
const endlessMillis = 2 ** 31 - 1

/** How long a separate connection may be idle before another connection probes the server, in ms. */
const silenceMillis = 5_000

/** How long a server may take to finish a connection's pending statements once the connection is no longer needed, in ms. */
const closeMillis = 5_000

/** How long a disk error makes proofs of writability fail, in ms: long enough for the next proof, but not for three proofs. */
const refusedMillis = 6_000

const attemptsMaximum = 5

/** The upper bound of the random wait before the first retry, in ms. The bound doubles with each retry. */
const repeatMillis = 10

const mayRepeat = (outcome: Outcome, kind: Kind): boolean =>
  outcome === "again" || (outcome === "unknown" && (kind === "read" || kind === "claim"))

/** Opens a scoped connection for long statements, cut only after its timeout or if another connection gets no response either. */
export const openAlone = (given: Omit<ConnectionOptions, "connectTimeoutMillis">) => {
  const options = { ...given, connectTimeoutMillis: connectMillis.alone }
  return Effect.acquireRelease(
    Effect.tryPromise({
      try: () => connectAlone(options),
      catch: (cause) => new StatementFailed({ outcome: outcomeOf(cause) === "defect" ? "unavailable" : outcomeOf(cause), cause }),
    }),
    (connection) =>
      Effect.sync(() => {
        connection.retire()
        setTimeout(
          () => connection.cut(new ConnectionLost("The store did not close the connection in time")),
          closeMillis,
        ).unref()
      }),
  ).pipe(
    Effect.tap((connection) => Effect.forkScoped(cutWhenSilent(connection, options))),
    Effect.map(runOn),
  )
}

const cutWhenSilent = (connection: Connection, options: ConnectionOptions): Effect.Effect<void> =>
  Effect.gen(function* () {
    const sinceMillis = connection.owesSinceMillis()
    const silentMillis = performance.now() - sinceMillis
    if (silentMillis < silenceMillis) return
    const limitMillis = options.statementTimeoutMillis > 0 ? options.statementTimeoutMillis : Number.POSITIVE_INFINITY
    const isOver = silentMillis > limitMillis + closeMillis
    if (!isOver && (yield* Effect.promise(() => greets(options)))) return
    if (connection.owesSinceMillis() === sinceMillis) connection.cut(new ConnectionLost("The database stopped responding"))
  }).pipe(Effect.repeat(Schedule.spaced(silenceMillis)), Effect.asVoid)

/** Opens the database in a scope. First, `prepareSchema` runs on a separate connection; `beside` opens one for each statement. */
export const openDatabase = (
  url: string,
  {
    poolSize = postgresDefaults.poolSize,
    statementTimeoutMillis = postgresDefaults.statementTimeoutMillis,
    applicationName = postgresDefaults.applicationName,
    onPlainText,
  }: PostgresOptions,
  prepareSchema: (run: Run, beside: Run) => Opening,
  onPool?: (state: () => PoolState) => void,
): Effect.Effect<Database, StorageNotOpened, Scope.Scope> =>
  Effect.gen(function* () {
    const own = { url, applicationName, onPlainText, statementTimeoutMillis: longStatementMillis }
    const beside: Run = (text, values) => Effect.scoped(Effect.flatMap(openAlone(own), (run) => run(text, values)))
    const { layout, checkedCommit } = yield* Effect.scoped(
      Effect.flatMap(openAlone({ ...own, statementTimeoutMillis: endlessMillis }), (run) =>
        Effect.zipRight(prepareSchema(run, beside), Effect.all({ layout: layoutOf(run), checkedCommit: commitOf(run) })),
      ),
    ).pipe(Effect.catchTag("StatementFailed", ({ cause }) => notOpened(url, cause)))

    const isSpread = layout === "spread"
    const checked = { isSpread, checkedCommit }
    const options = { ...own, ...checked, statementTimeoutMillis, connectTimeoutMillis: connectMillis.pool }
    const poolOf = (size: number): Effect.Effect<Pool, never, Scope.Scope> =>
      Effect.acquireRelease(
        Effect.sync(() => makePool(size, options)),
        ({ close }) => Effect.promise(close),
      )
    const pool = yield* poolOf(poolSize)
    onPool?.(pool.state)
    const statements = statementsOn(pool, statementTimeoutMillis)

    return {
      ...statements,
      layout,
      coordinator: layout === "one node" ? statements : statementsOn(yield* poolOf(coordinatorPoolSize), statementTimeoutMillis),
      // Closing the connection without a COMMIT always rolls back everything.
      transaction: (work) =>
        Effect.scoped(
          Effect.flatMap(Effect.catchAll(openAlone({ ...own, ...checked }), toFailure), (alone) => {
            const run: Run<StorageUnavailable> = (text, values) => Effect.catchAll(alone(text, values), toFailure)
            return run("BEGIN").pipe(Effect.zipRight(work(run)), Effect.zipLeft(run("COMMIT")))
          }),
        ),
    }
  })

const statementsOn = (pool: Pool, statementTimeoutMillis: number): Statements => {
  const once = (statement: Statement, deadlineMillis: number): Effect.Effect<Rows, StatementFailed> =>
    Effect.async((resume) => pool.submit(statement, deadlineMillis, resume))

  let refused: { readonly failure: StatementFailed; readonly atMillis: number } | undefined

  const noteOutcome = (kind: Kind, failure?: StatementFailed): Effect.Effect<void> =>
    Effect.sync(() => {
      if (failure === undefined && kind === "insert") refused = undefined
      if (failure !== undefined && lacksDisk(failure.cause)) refused = { failure, atMillis: performance.now() }
    })

  const attempt: Statements["attempt"] = (kind, text, values, arrivedAtMillis) =>
    // The effect for a list or a check is created once and run many times, so the timeout must start with each run.
    Effect.suspend(() => {
      const statement = { ...(typeof text === "string" ? { text } : text), values, mayWaitFor: mayWaitFor[kind] }
      const deadlineMillis = (arrivedAtMillis ?? performance.now()) + statementTimeoutMillis
      const tryFor = (count: number): Effect.Effect<Rows, StatementFailed> =>
        Effect.catchAll(once(statement, deadlineMillis), (failure) => {
          const isOver = count >= attemptsMaximum || performance.now() >= deadlineMillis
          if (isOver || !mayRepeat(failure.outcome, kind)) return Effect.fail(failure)
          return Random.nextRange(0, repeatMillis * 2 ** count).pipe(
            Effect.flatMap(Effect.sleep),
            Effect.zipRight(tryFor(count + 1)),
          )
        })
      return kind === "insert" || kind === "claim"
        ? Effect.tapBoth(tryFor(1), {
            onSuccess: () => noteOutcome(kind),
            onFailure: (failure) => noteOutcome(kind, failure),
          })
        : tryFor(1)
    })

  return {
    attempt,
    refusedByDisk: () =>
      refused !== undefined && performance.now() - refused.atMillis < refusedMillis ? refused.failure : undefined,
    read: (text, values = []) => Effect.catchAll(attempt("read", text, values), toFailure),
    write: (text, values = [], arrivedAtMillis) => Effect.catchAll(attempt("write", text, values, arrivedAtMillis), toFailure),
  }
}

/** Connects. If a pooler refuses the timeout parameter, connects without a server-side timeout. */
const connectAlone = (options: Parameters<typeof connect>[0]): Promise<Connection> =>
  connect(options, () => {}).catch((thrown) => {
    if (refusesParameter(thrown)) return connect({ ...options, statementTimeoutMillis: 0 }, () => {})
    throw thrown
  })

export const notOpened = (url: string, cause: unknown): StorageNotOpened =>
  new StorageNotOpened({
    reason: `The store ${nameOfStore({ adapter: "postgres", url })} cannot be opened: ${reasonOf(cause)}.${remedyOf(cause)}`,
    cause,
    ...(isUnreachable(cause) && { isUnreachable: true }),
  })

/** Since version 15 a database's users may not create tables in the schema `public`, unless the database is theirs. */
const remedyOf = (cause: unknown): string => {
  const [, schema] = /permission denied for schema (\w+)/.exec(reasonOf(cause)) ?? []
  return schema === undefined
    ? ""
    : ` As the database's owner: GRANT CREATE, USAGE ON SCHEMA ${schema} TO the URL's user, or ALTER DATABASE … OWNER TO it.`
}

/** Node throws an error without a message when it has tried several addresses of a host. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof AggregateError && cause.message === "") return cause.errors.map(reasonOf).join(", ")
  return cause instanceof Error ? cause.message : String(cause)
}
