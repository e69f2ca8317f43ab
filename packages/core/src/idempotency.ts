/** A request that may arrive twice: what a caller names it, and what makes two requests the same. */

/**
 * For how long a request is remembered, in ms: 8 days. Callers are promised 24 hours; the rest is for clocks that are wrong,
 * of which one would erase what others still need.
 */
export const idempotencyLifetimeMillis = 8 * 24 * 60 * 60 * 1000

/** A caller's claim that a request is the only one of its name. Scoped to account and operation. */
export interface IdempotencyClaim {
  /** Whose request it is: an `AccountId`, or another text that stays the same. */
  readonly accountId: string
  /** What is done, in a text that stays the same: who repeats the request names it so again. */
  readonly operation: string
  /** 1 to 255 visible ASCII characters. */
  readonly key: string
  /** SHA-256 of what was asked for, in hexadecimal. */
  readonly fingerprint: string
  readonly claimedAt: Date
  /** From this moment on the name is free again. */
  readonly expiresAt: Date
}

/** What a request under a claim made or, if it is not new, what the first request of its name made, as it was created. */
export interface MadeOnce<A> {
  readonly one: A
  readonly isNew: boolean
}
