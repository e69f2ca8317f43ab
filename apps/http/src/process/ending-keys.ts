/** The API keys that will soon not be accepted any more. */
import type { ApiKey, Deployment } from "@petstore/core"
import { DateTime, Effect, Option } from "effect"
import { usableKeys } from "./safety.js"

/** How long before its expiry a key is reported: 14 days. */
const soonMillis = 14 * 86_400_000

export interface EndingKey {
  readonly key: ApiKey
  readonly end: Date
  /** The newest key with the same account and label that expires later. */
  readonly successor: ApiKey | undefined
}

const endOf = ({ expiresAt }: ApiKey): number => Option.match(expiresAt, { onNone: () => Infinity, onSome: Number })

const successorOf = (key: ApiKey, usable: ReadonlyArray<ApiKey>): ApiKey | undefined => {
  const label = Option.getOrUndefined(key.label)
  return usable.findLast(
    (other) =>
      other.accountId === key.accountId &&
      Option.getOrUndefined(other.label) === label &&
      other.createdAt > key.createdAt &&
      endOf(other) > endOf(key),
  )
}

/** The keys among the accepted ones that soon expire. */
export const endingKeys = (usable: ReadonlyArray<ApiKey>, now: Date): ReadonlyArray<EndingKey> =>
  usable.flatMap((key) =>
    Option.toArray(key.expiresAt)
      .filter((end) => end.getTime() - now.getTime() < soonMillis)
      .map((end) => ({ key, end, successor: successorOf(key, usable) })),
  )

/** How many accepted keys soon expire and have no successor. */
export const countExpiringKeys = (deployment: Deployment) =>
  Effect.zipWith(
    usableKeys(deployment),
    DateTime.nowAsDate,
    (usable, now) => endingKeys(usable, now).filter(({ successor }) => successor === undefined).length,
  )
