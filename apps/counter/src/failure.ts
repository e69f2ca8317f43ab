/** Describes failures in sentences for store staff. */
import { isPetstoreError } from "@petstore/client"

/** The page's own sentences, because those of the client library are for programmers. */
const sentences: Readonly<Partial<Record<string, string>>> = {
  network: "The service cannot be reached. Check the network; this page keeps trying.",
  timeout: "The service is taking too long. This page keeps trying.",
  storage_unavailable: "The service cannot reach its data right now. This page keeps trying.",
  service_stopping: "The service is restarting. This page keeps trying.",
  internal_error: "The service has failed. This page keeps trying; tell the operator if this continues.",
  invalid_answer: "A response did not come from the pet store. This page keeps trying; tell the operator if this continues.",
  rate_limited: "This key has sent too many requests. Wait a minute.",
  pet_not_available: "The animal is not for sale any more: another person has it.",
  pet_not_found: "The animal no longer exists: another person has removed it.",
  pet_reserved: "The animal is reserved: sell it or cancel the reservation first.",
  order_closed: "The reservation has ended: another person has sold the animal or cancelled it.",
  order_not_completed: "The animal was not sold here, so there is nothing to take back.",
  pet_changed: "The animal has been changed, removed or sold again since, so this sale cannot be taken back.",
  category_not_found: "The category no longer has a name: another person has removed it.",
  precondition_failed: "Another person has changed it in the meantime: look at it again, then decide.",
  missing_etag:
    "Nothing was changed. The network equipment in front of the store removes what shows whether another person changed this first, so it cannot be changed safely here. Tell the person who runs the store that a proxy removes ETag headers.",
  insufficient_scope: "This key is read-only. Sign in with a key that may make changes.",
  invalid_credential:
    "This API key is not accepted: it is unknown, expired or revoked, or its account is disabled. Sign in with another one.",
  missing_credential: "The API key did not reach the service. Sign in again.",
}

/** Returns what happened and what to do, without any part of a key. */
export const sentenceOf = (thrown: unknown): string => {
  if (!isPetstoreError(thrown)) return thrown instanceof Error ? thrown.message : String(thrown)
  return sentences[thrown.code] ?? thrown.message
}

export const hasCode = (thrown: unknown, ...codes: ReadonlyArray<string>): boolean =>
  isPetstoreError(thrown) && codes.includes(thrown.code)

export const isChanged = (thrown: unknown): boolean => hasCode(thrown, "precondition_failed")

/** Whether a later attempt may succeed. Even so, the service may have run the failed request. */
export const isUnavailable = (thrown: unknown): boolean =>
  hasCode(
    thrown,
    "network",
    "timeout",
    "storage_unavailable",
    "service_overloaded",
    "service_stopping",
    "internal_error",
    "invalid_answer",
  )
