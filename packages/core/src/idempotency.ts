/** Requests that may arrive twice: their names, and when two requests are the same. */

/**
 * How long a request is remembered, in ms: 8 days. Callers are promised 24 hours; the rest tolerates wrong clocks, because a
 * process whose clock is ahead would erase claims that others still need.
 */
export const idempotencyLifetimeMillis = 8 * 24 * 60 * 60 * 1000

/** The claim of a request on its name. Scoped to account and operation. */
export interface IdempotencyClaim {
  /** Whose request it is: an `AccountId`, or other text that stays the same. */
  readonly accountId: string
  /** The operation, as text that never changes, so that a repeated request has the same. */
  readonly operation: string
  /** 1 to 255 visible ASCII characters. */
  readonly key: string
  /** SHA-256 of the content of the request, in hexadecimal. */
  readonly fingerprint: string
  readonly claimedAt: Date
  /** From this time on the name is free again. */
  readonly expiresAt: Date
}

/**
 * The result of a request under a claim: what it created or, if that is not new, what the first request with its name created.
 */
export interface MadeOnce<A> {
  readonly one: A
  readonly isNew: boolean
}
