/**
 * Requests that clients can repeat, in PostgreSQL. One statement stores a request's result and its claim, and does nothing if
 * the key is taken. If two such statements run concurrently and neither sees the other, the unique key refuses the later claim
 * and undoes its statement. It is therefore always safe to send the statement again.
 */
import { type IdempotencyClaim, IdempotencyKeyReused } from "@petstore/core"
import * as Effect from "effect/Effect"
import { prepared, type Rows, type Text } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { isUniqueViolation, type StatementFailed, toFailure } from "./engine/errors.js"

/** A claim's values, which become consecutive statement parameters: see {@link takenClaim} and {@link keepClaim}. */
export const claimValues = ({ accountId, operation, key, fingerprint, expiresAt, claimedAt }: IdempotencyClaim) => [
  accountId,
  operation,
  key,
  fingerprint,
  expiresAt.getTime(),
  claimedAt.getTime(),
]

/** The types of {@link claimValues}. */
export const claimTypes = "text, text, text, text, int8, int8"

/** A claim of the same key, as SQL from `FROM` on. The claim's values start at `$place`. */
export const takenClaim = (place: number): string =>
  `FROM idempotency_keys WHERE account_id = $${place} AND operation = $${place + 1} AND key = $${place + 2} AND expires_at > $${place + 5}`

/** SQL that stores a claim for the resource `id`, from the function that makes a row of values. The claim's values start at `$place`. */
export const keepClaim = (place: number, valuesOf: (values: string) => string, id: string): string => {
  const [account, operation, key, fingerprint, expiresAt] = [0, 1, 2, 3, 4].map((index) => `$${place + index}`)
  const values = `${account}::text, ${operation}::text, ${key}::text, ${fingerprint}::text, ${expiresAt}::int8, ${id}`
  return `INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, expires_at, resource_id) ${valuesOf(values)}`
}

const ofClaim = "account_id = $1 AND operation = $2 AND key = $3"

/** How many times a claim is attempted while other requests claim and release the same key. */
const attemptsMaximum = 5

/** On average, one in this many claims also removes expired claims, so that the table does not grow without limit. */
const sweepOneIn = 64

/** The maximum number of expired claims that one sweep removes. */
const sweepMaximum = 1_000

/** The result of a request under a claim: it created a resource, the first request with the key did, or neither did. */
type Once =
  | { readonly outcome: "made" | "refused"; readonly rows: Rows }
  | { readonly outcome: "repeated"; readonly resourceId: bigint }

/**
 * Finds a claim by writing the claim unchanged. The first request's claim may be visible although no standby has it, because the
 * wait for the standbys was cancelled. A later commit waits for the same standbys, and therefore also for the earlier commit.
 */
const confirmClaim = prepared(
  "confirm claim",
  `UPDATE idempotency_keys SET fingerprint = fingerprint WHERE ${ofClaim} AND expires_at > $4
  RETURNING resource_id, fingerprint`,
)

/** Stores an expired claim if the key is free. Waits for a prepared claim: its request may be committed on another node. */
const keepExpired = `INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, expires_at, resource_id)
  VALUES ($1, $2, $3, $4, 0, 0) ON CONFLICT (account_id, operation, key) DO NOTHING RETURNING resource_id`

const removeClaim = `DELETE FROM idempotency_keys WHERE ${ofClaim} AND expires_at <= $4`

const removeExpired = `DELETE FROM idempotency_keys WHERE (account_id, operation, key) IN (
    SELECT account_id, operation, key FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
  )`

/**
 * Returns the function that runs a statement built from {@link takenClaim} and {@link keepClaim}. The statement's first column is
 * the resource's identifier; no row means that no resource was created.
 */
export const underClaim =
  ({ attempt, layout, write }: Database) =>
  (text: Text, values: ReadonlyArray<unknown>, claim: IdempotencyClaim) =>
    Effect.gen(function* (): Effect.fn.Return<Once, IdempotencyKeyReused | StatementFailed> {
      const { accountId, operation, key, fingerprint } = claim
      const now = claim.claimedAt.getTime()
      // Runs in the background. If a sweep fails, a later one does its work.
      if (Math.random() * sweepOneIn < 1) yield* Effect.forkDaemon(Effect.ignore(write(removeExpired, [now, sweepMaximum])))
      const arrivedAtMillis = performance.now()
      for (let count = 1; ; count += 1) {
        const rows = yield* Effect.catchIf(
          attempt("claim", text, values, arrivedAtMillis),
          (failure) => isUniqueViolation(failure) && count < attemptsMaximum,
          () => Effect.succeed("taken" as const),
        )
        if (rows !== "taken" && rows.length > 0) return { outcome: "made", rows }
        // A separate statement, because the previous statement does not see commits that happened while it waited.
        const [first] = yield* attempt("claim", confirmClaim, [accountId, operation, key, now], arrivedAtMillis)
        if (first !== undefined) {
          if (first[1] !== fingerprint) return yield* new IdempotencyKeyReused({ key })
          // Safe: an int8 is read as a bigint.
          return { outcome: "repeated", resourceId: first[0] as bigint }
        }
        if (rows !== "taken") {
          // In a cluster, a claim that is not visible yet counts as taken. On a single server, every commit is visible.
          if (layout === "one node" || count >= attemptsMaximum) return { outcome: "refused", rows }
          const kept = yield* attempt("claim", keepExpired, [accountId, operation, key, fingerprint], arrivedAtMillis)
          if (kept.length > 0) return { outcome: "refused", rows }
        }
        yield* attempt("claim", removeClaim, [accountId, operation, key, now], arrivedAtMillis)
      }
    }).pipe(Effect.catchTag("StatementFailed", toFailure))
