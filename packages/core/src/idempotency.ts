/**
 * How long the store remembers a request, in ms: 8 days. The service promises 24 hours. The rest is a margin for wrong clocks: a
 * process whose clock is ahead would delete claims that other processes still need.
 */
export const idempotencyLifetimeMillis = 8 * 24 * 60 * 60 * 1000

/** A request's claim to its idempotency key, scoped to the account and the operation. */
export interface IdempotencyClaim {
  /** The account that sends the request: an `AccountId`, or other text that stays the same. */
  readonly accountId: string
  /** The operation, as text that never changes, so that a repeated request has the same value. */
  readonly operation: string
  /** 1 to 255 visible ASCII characters. */
  readonly key: string
  /** SHA-256 of the request's content, in hexadecimal. */
  readonly fingerprint: string
  readonly claimedAt: Date
  /** From this time on, the key can be used for a new request. */
  readonly expiresAt: Date
}

/** The result of a request with a claim: the value that this request, or the first request with the same key, created. */
export interface MadeOnce<A> {
  readonly value: A
  readonly isNew: boolean
}
