import { maxInt64, minInt64 } from "../json/int64.js"

/** 64-bit integers that a careless store might round, truncate or misread: both signs, past 2^31 and 2^53, and the limits. */
export const unusualInt64s: ReadonlyArray<bigint> = [
  0n,
  -1n,
  2n ** 31n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  maxInt64 - 1n,
  maxInt64,
  minInt64 + 1n,
  minInt64,
]
