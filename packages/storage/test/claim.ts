import type { IdempotencyClaim } from "@petstore/core"

/** A claim that is valid for a day, for tests in which only the key matters. */
export const claimOf = (key: string, rest: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  accountId: "acc_1",
  operation: "POST",
  key,
  fingerprint: "f",
  claimedAt: new Date("2026-01-01T00:00:00Z"),
  expiresAt: new Date("2026-01-02T00:00:00Z"),
  ...rest,
})
