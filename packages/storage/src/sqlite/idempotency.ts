/** Claims for requests that clients can repeat, in SQLite. A claim is read and written in the transaction that it protects. */
import type { Actor, IdempotencyClaim, MadeOnce } from "@petstore/core"
import { limited, type Statements } from "./engine/connection.js"

/** How many expired claims each new claim removes, so that the table stays small and no write removes many claims. */
const removedAtOnce = 4

interface Making<Input, A> {
  readonly make: (input: Input, claimedAt: Date, by: Actor | undefined) => A
  /** The identifier to store with the claim; `undefined` if `make` refused. */
  readonly idOf: (made: A) => bigint | undefined
  /** What an earlier request made. */
  readonly find: (id: bigint) => A
}

/** Returns the function that calls `make` for the first request with a key. A refusal and a reused key are not stored. */
export const sqliteIdempotency = <Input, A>({ prepare, allOrNothing }: Statements, { make, idOf, find }: Making<Input, A>) => {
  const removeExpired = prepare(`DELETE FROM idempotency_keys
    WHERE rowid IN (SELECT rowid FROM idempotency_keys WHERE expires_at <= ? ${limited})`)
  const select = prepare(`SELECT fingerprint, resource_id FROM idempotency_keys
    WHERE account_id = ? AND operation = ? AND key = ? AND expires_at > ?`)
  const insert = prepare(`INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, resource_id, expires_at)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, operation, key) DO UPDATE SET
      fingerprint = excluded.fingerprint, resource_id = excluded.resource_id, expires_at = excluded.expires_at`)

  return (
    input: Input,
    { accountId, operation, key, fingerprint, claimedAt, expiresAt }: IdempotencyClaim,
    by: Actor | undefined,
  ) =>
    allOrNothing((): MadeOnce<A> | "reused" => {
      const row = select.get(accountId, operation, key, claimedAt.getTime())
      if (row !== undefined) {
        // Safe: the table is STRICT, and the statement returns these columns in this order, as an array with exact integers.
        const [first, id] = row as unknown as [string, bigint]
        return first === fingerprint ? { value: find(id), isNew: false } : "reused"
      }
      const value = make(input, claimedAt, by)
      const id = idOf(value)
      if (id !== undefined) {
        removeExpired.run(claimedAt.getTime(), removedAtOnce)
        insert.run(accountId, operation, key, fingerprint, id, expiresAt.getTime())
      }
      return { value, isNew: true }
    })
}
