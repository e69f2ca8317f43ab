/**
 * Requests that may arrive twice, in PostgreSQL. What a request makes and its claim are one
 * statement, which does nothing if the name is taken. If two arrive at once and neither sees the
 * other, the unique key refuses the later claim and undoes what came with it. So the statement
 * may be sent again whatever became of it.
 */
import { type IdempotencyClaim, IdempotencyKeyReused } from "@petstore/core"
import * as Effect from "effect/Effect"
import { type PreparedText, prepared, type Rows } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { isUniqueViolation, type StatementFailed } from "./engine/errors.js"

/** The values of a claim, from a place of the statement on: see {@link claimIsFree} and {@link keepClaim}. */
export const claimValues = ({ accountId, operation, key, fingerprint, expiresAt, claimedAt }: IdempotencyClaim) => [
  accountId,
  operation,
  key,
  fingerprint,
  expiresAt.getTime(),
  claimedAt.getTime(),
]

/** A condition: the name of the claim whose values begin at `$place` is free. */
export const claimIsFree = (place: number): string =>
  `NOT EXISTS (SELECT 1 FROM idempotency_keys
    WHERE account_id = $${place} AND operation = $${place + 1} AND key = $${place + 2} AND expires_at > $${place + 5})`

/** A statement: keeps the claim whose values begin at `$place`, for what the column `id` of `source` names. */
export const keepClaim = (place: number, source: string): string =>
  `INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, expires_at, resource_id)
  SELECT $${place}::text, $${place + 1}::text, $${place + 2}::text, $${place + 3}::text, $${place + 4}::int8, id FROM ${source}`

const ofClaim = "account_id = $1 AND operation = $2 AND key = $3"

/** How often a claim is tried while others take and drop the same name. */
const attemptsMaximum = 5

/** One in so many claims, by chance, also removes claims that expired: the table does not grow without bound. */
const sweepOneIn = 64

/** Most expired claims removed at once. */
const sweepMaximum = 1_000

/** The outcome of a request under a claim: it made something, the first request of the name made something, or neither. `rows` is what the statement answered. */
export type Once =
  | { readonly outcome: "made"; readonly rows: Rows }
  | { readonly outcome: "repeated"; readonly resourceId: bigint }
  | { readonly outcome: "refused"; readonly rows: Rows }

/**
 * Finds a claim by writing it as it is. What the first request made may be there although no standby
 * has it: its wait was cancelled. A commit behind it waits for the same standbys, and so for what came before.
 */
const confirmClaim = prepared(
  "confirm claim",
  `UPDATE idempotency_keys SET fingerprint = fingerprint WHERE ${ofClaim} AND expires_at > $4
  RETURNING resource_id, fingerprint`,
)

/**
 * Keeps a claim that has long expired, if the name is free. It waits for one that is prepared: a request may have been
 * committed on several nodes, and its claim not show yet.
 */
const keepExpired = `INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, expires_at, resource_id)
  VALUES ($1, $2, $3, $4, 0, 0) ON CONFLICT (account_id, operation, key) DO NOTHING RETURNING resource_id`

const removeClaim = `DELETE FROM idempotency_keys WHERE ${ofClaim} AND expires_at <= $4`

export const underClaim = ({ attempt, layout, write }: Database) => {
  /** What the first request of this name made, a failure if that was another request, `undefined` if the name is free. */
  const findFirst = ({ accountId, operation, key, fingerprint, claimedAt }: IdempotencyClaim, arrivedAtMillis: number) =>
    Effect.gen(function* () {
      const [row] = yield* attempt("claim", confirmClaim, [accountId, operation, key, claimedAt.getTime()], arrivedAtMillis)
      if (row === undefined) return undefined
      // Safe: an int8 is read as a bigint.
      return row[1] === fingerprint ? (row[0] as bigint) : yield* new IdempotencyKeyReused({ key })
    })

  const removeExpiredOfName = ({ accountId, operation, key, claimedAt }: IdempotencyClaim, arrivedAtMillis: number) =>
    attempt("claim", removeClaim, [accountId, operation, key, claimedAt.getTime()], arrivedAtMillis)

  /** Whether the name is free, even of a request whose claim is not visible yet. One server shows what is committed. */
  const isFree = ({ accountId, operation, key, fingerprint }: IdempotencyClaim, arrivedAtMillis: number) =>
    layout === "one node"
      ? Effect.succeed(true)
      : Effect.map(
          attempt("claim", keepExpired, [accountId, operation, key, fingerprint], arrivedAtMillis),
          (kept) => kept.length > 0,
        )

  const removeExpired = (at: Date) =>
    write(
      `DELETE FROM idempotency_keys WHERE (account_id, operation, key) IN (
        SELECT account_id, operation, key FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
      )`,
      [at.getTime(), sweepMaximum],
    )

  const tryOnce = (
    text: PreparedText,
    values: ReadonlyArray<unknown>,
    claim: IdempotencyClaim,
    arrivedAtMillis: number,
    count: number,
  ): Effect.Effect<Once, IdempotencyKeyReused | StatementFailed> =>
    Effect.gen(function* () {
      const rows = yield* Effect.catchIf(
        attempt("claim", text, values, arrivedAtMillis),
        (failure) => isUniqueViolation(failure) && count < attemptsMaximum,
        () => Effect.succeed("taken" as const),
      )
      if (rows !== "taken" && rows[0]?.[0] != null) return { outcome: "made", rows }
      // A statement of its own: the one before does not see what was committed after it began, such as the claim that made it wait.
      const resourceId = yield* findFirst(claim, arrivedAtMillis)
      if (resourceId !== undefined) return { outcome: "repeated", resourceId }
      const isRefused = rows !== "taken" && (count >= attemptsMaximum || (yield* isFree(claim, arrivedAtMillis)))
      if (isRefused) return { outcome: "refused", rows }
      yield* removeExpiredOfName(claim, arrivedAtMillis)
      return yield* tryOnce(text, values, claim, arrivedAtMillis, count + 1)
    })

  /** Runs a statement built of {@link claimIsFree} and {@link keepClaim}, whose first column names what it made: NULL, or no row, if that is nothing. */
  return (text: PreparedText, values: ReadonlyArray<unknown>, claim: IdempotencyClaim) =>
    Effect.zipRight(
      // Nothing waits for it, and a later sweep repairs a failed one.
      Math.random() * sweepOneIn < 1 ? Effect.forkDaemon(Effect.ignore(removeExpired(claim.claimedAt))) : Effect.void,
      Effect.suspend(() => tryOnce(text, values, claim, performance.now(), 1)),
    )
}
