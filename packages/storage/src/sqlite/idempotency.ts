/** Claims for requests that clients can repeat, in SQLite. A claim is read and written in the transaction that it protects. */
import type { IdempotencyClaim } from "@petstore/core"
import { limited, type Statements } from "./engine/statements.js"

/** How many expired claims each new claim removes, so that the table stays small and no write removes many claims. */
const removedAtOnce = 4

export const sqliteIdempotency = ({ prepare }: Statements) => {
  const removeExpired = prepare(
    `DELETE FROM idempotency_keys WHERE rowid IN (SELECT rowid FROM idempotency_keys WHERE expires_at <= ? ${limited})`,
  )
  const select = prepare(
    "SELECT fingerprint, resource_id FROM idempotency_keys WHERE account_id = ? AND operation = ? AND key = ? AND expires_at > ?",
  )
  const insert =
    prepare(`INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, resource_id, expires_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (account_id, operation, key) DO UPDATE SET
       fingerprint = excluded.fingerprint, resource_id = excluded.resource_id, expires_at = excluded.expires_at`)

  return {
    /** The identifier that the first request with this key created, if any; `"reused"` if that request was different. */
    find: ({ accountId, operation, key, fingerprint, claimedAt }: IdempotencyClaim): bigint | "reused" | undefined => {
      const row = select.get(accountId, operation, key, claimedAt.getTime())
      if (row === undefined) return undefined
      // Safe: the table is STRICT, and the statement returns these columns in this order, as an array with exact integers.
      const [first, resourceId] = row as unknown as [string, bigint]
      return first === fingerprint ? resourceId : "reused"
    },

    /** Stores a request's claim, with the identifier that the request created. */
    keep: ({ accountId, operation, key, fingerprint, claimedAt, expiresAt }: IdempotencyClaim, resourceId: bigint): void => {
      removeExpired.run(claimedAt.getTime(), removedAtOnce)
      insert.run(accountId, operation, key, fingerprint, resourceId, expiresAt.getTime())
    },
  }
}
