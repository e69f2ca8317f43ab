/** Requests that may arrive twice: their keys, and when two requests are the same. */

/**
 * How long a request is remembered, in ms: 8 days. Callers are promised 24 hours; the rest tolerates wrong clocks, because a
 * process whose clock is ahead would erase claims that others still need.
 */
export const idempotencyLifetimeMillis = 8 * 24 * 60 * 60 * 1000

/** A request's claim to its idempotency key. Scoped to account and operation. */
export interface IdempotencyClaim {
  /** Whose request it is: an `AccountId`, or other text that stays the same. */
  readonly accountId: string
  /** The operation, as text that never changes, so that a repeated request has the same value. */
  readonly operation: string
  /** 1 to 255 visible ASCII characters. */
  readonly key: string
  /** SHA-256 of the content of the request, in hexadecimal. */
  readonly fingerprint: string
  readonly claimedAt: Date
  /** From this time on the key is free again. */
  readonly expiresAt: Date
}

/**
 * The result of a request under a claim: what it created, or, if it is a repeat, what the first request with the same key
 * created.
 */
export interface MadeOnce<A> {
  readonly one: A
  readonly isNew: boolean
}
