/** Maps PostgreSQL errors and connection errors to outcomes, and outcomes to domain failures. */
import { StorageUnavailable } from "@petstore/core"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { DatabaseError } from "pg"
import type { StorageNotOpened } from "../../storage-not-opened.js"

/**
 * The outcome of a failed statement.
 *
 * - `again`: the statement had no effect, and can succeed if it is sent again
 * - `unknown`: the statement may have taken effect
 * - `unavailable`: the store cannot run the statement now
 * - `defect`: our SQL or our values are wrong
 */
export type Outcome = "again" | "unknown" | "unavailable" | "defect"

export class StatementFailed extends Data.TaggedError("StatementFailed")<{
  readonly outcome: Outcome
  readonly cause: unknown
}> {}

/** A step of opening a store. */
export type Opening<A = void> = Effect.Effect<A, StatementFailed | StorageNotOpened>

/** Outcomes by SQLSTATE (PostgreSQL, appendix A) or its class, the first two characters. Others are bugs in our SQL. */
const outcomes: Readonly<Record<string, Outcome>> = {
  "0A000": "unavailable", // feature_not_supported: Citus distributed the table after this process had chosen its statements
  "25006": "again", // read_only_sql_transaction: this is a standby, not yet promoted
  "25P03": "unavailable", // idle_in_transaction_session_timeout: it can fire in the middle of an import
  "25P04": "unavailable", // transaction_timeout
  "40001": "again", // serialization_failure
  "40003": "unknown", // statement_completion_unknown: distributed engines do not know whether a commit succeeded
  "40P01": "again", // deadlock_detected
  "42501": "unavailable", // insufficient_privilege: an administrator revoked it
  "55P03": "unavailable", // lock_not_available
  "54000": "unavailable", // program_limit_exceeded: the server assigns no more transaction IDs until it is vacuumed
  "57014": "unavailable", // query_canceled: statement_timeout, or an operator
  "57P01": "unknown", // admin_shutdown
  "57P02": "unknown", // crash_shutdown
  "57P03": "again", // cannot_connect_now: the server is starting or recovering
  "57P04": "unavailable", // database_dropped
  "57P05": "unknown", // idle_session_timeout
  CIINF: "again", // Citus: part of a statement did not find its rows, for example after a shard move; everything was undone
  "08": "unknown", // connection exception
  "28": "unavailable", // invalid authorization
  "3D": "unavailable", // the database does not exist, or no longer exists
  "53": "unavailable", // insufficient resources: disk, memory, connections
  "58": "unavailable", // system error, such as an I/O error
  XX: "unavailable", // internal error, damaged data
}

const fieldsOf = (thrown: unknown): Partial<DatabaseError> => (thrown instanceof DatabaseError ? thrown : {})

/** The SQLSTATE of an error that the server sent; `undefined` for any other value. */
export const sqlState = (thrown: unknown): string | undefined => fieldsOf(thrown).code

/** Whether a statement was refused before it ran, because its name is unknown, taken, or prepared for another column type. */
export const losesName = (thrown: unknown): boolean => {
  const code = sqlState(thrown)
  return code === "26000" || code === "42P05" || (code === "0A000" && fieldsOf(thrown).routine === "RevalidateCachedQuery")
}

/** The outcome for an error from the server, or for a bug in our code. The caller handles lost connections. */
export const outcomeOf = (thrown: unknown): Outcome => {
  const code = sqlState(thrown)
  if (code === undefined) return "defect"
  if (losesName(thrown)) return "again"
  return outcomes[code] ?? outcomes[code.slice(0, 2)] ?? "defect"
}

/** Whether this connection closes or accepts no writes. A connection exception with severity ERROR is between server and node. */
export const endsConnection = (thrown: unknown): boolean =>
  /^(?:57P0|25006|25P0[34])/.test(sqlState(thrown) ?? "") || (losesConnection(thrown) && fieldsOf(thrown).severity !== "ERROR")

/** Whether an error reports that this connection, or a connection to a node, was lost. */
export const losesConnection = (thrown: unknown): boolean => sqlState(thrown)?.startsWith("08") === true

/** Whether the server's disk is full or failing. */
export const lacksDisk = (thrown: unknown): boolean => /^(?:53100|58)/.test(sqlState(thrown) ?? "")

type Notice = { readonly [part in "code" | "routine" | "message"]?: string | undefined }

/** Whether this is the warning that a server sends with every write until it is vacuumed (varsup.c, multixact.c). */
const saysVacuum = ({ routine, message }: Notice): boolean =>
  /^GetNew(?:TransactionId|MultiXactId)$/.test(routine ?? "") ||
  /^database .* must be vacuumed (?:within|before) /.test(message ?? "")

/**
 * Whether a message about a write puts its commit in doubt. A single server reports this when the wait for a standby is cancelled
 * (syncrep.c). Citus reports it in many different warnings, in the server's language: the commit did not reach a worker, or a
 * worker's standby did not confirm it. Therefore, with Citus, every class except 00 (success) and 0A (about the statement's plan)
 * puts the commit in doubt, unless the message is the warning about vacuuming.
 */
export const doubtsCommit = (notice: Notice, isSpread: boolean): boolean =>
  notice.routine === "SyncRepWaitForLSN" || (isSpread && !/^0[0A]/.test(notice.code ?? "") && !saysVacuum(notice))

/** A server that does not respond, or a connection that was lost. */
export class ConnectionLost extends Error {}

/** Refusals that only an operator can remedy: a wrong password, user or database, a missing privilege, damaged data. */
const isFinal = ({ code, message }: DatabaseError): boolean =>
  /^(?:28|3D|42501|XX00[12])/.test(code ?? "") ||
  // PgBouncer sends its own refusals as protocol violations.
  (code === "08P01" && /authentication failed|no such (?:user|database)/.test(message))

/**
 * Whether opening a store failed because the server is unavailable: away, starting, or unable to serve one more connection. Errors
 * of Node's sockets have a code such as ECONNREFUSED, unlike those of TLS and of the library's authentication.
 */
export const isUnreachable = (cause: unknown): boolean => {
  if (cause instanceof DatabaseError) return outcomeOf(cause) !== "defect" && !isFinal(cause)
  if (cause instanceof AggregateError) return cause.errors.some(isUnreachable)
  if (cause instanceof ConnectionLost) return true
  return (
    cause instanceof Error &&
    (/^E[A-Z]+$/.test("code" in cause ? String(cause.code) : "") || cause.message.startsWith("Connection terminated"))
  )
}

/** Whether a connection was refused because of its parameters. A pooler accepts only parameters that it tracks. */
export const refusesParameter = (thrown: unknown): boolean =>
  thrown instanceof DatabaseError && thrown.code === "08P01" && thrown.message.includes("startup parameter")

/** Whether a statement was refused because a row with the same unique values already exists. */
export const isUniqueViolation = ({ cause }: StatementFailed): boolean => sqlState(cause) === "23505"

/** Whether a statement was refused and undone because of a row's values: a data exception or a constraint violation. */
export const isFaultOfRow = ({ cause }: StatementFailed): boolean => /^2[23]/.test(sqlState(cause) ?? "")

/** Fails with `StorageUnavailable`, or dies if the outcome is `defect`, which means a bug. */
export const toFailure = ({ outcome, cause }: StatementFailed): Effect.Effect<never, StorageUnavailable> =>
  outcome === "defect" ? Effect.die(cause) : Effect.fail(new StorageUnavailable({ cause }))
