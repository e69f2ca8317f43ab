/** A failure as a sentence for the people of the store. */
import { isPetstoreError } from "@petstore/client"

/** Sentences of this page in place of those of the client library, which speak to programmers. */
const sentences: Readonly<Partial<Record<string, string>>> = {
  network: "The service cannot be reached. Check the network; this page keeps trying.",
  timeout: "The service takes too long. This page keeps trying.",
  pet_not_available: "The animal is not available: another person has it, or it is not for sale.",
  invalid_credential: "This API key is not accepted: it is unknown, expired or revoked. Sign in with another one.",
  missing_credential: "The API key did not reach the service. Sign in again.",
}

/** What happened and what to do. Nothing of a key is in it. */
export const sentenceOf = (thrown: unknown): string => {
  if (!isPetstoreError(thrown)) return thrown instanceof Error ? thrown.message : String(thrown)
  return sentences[thrown.code] ?? thrown.message
}

/** Whether the key is the reason: then only another key helps. */
export const isRefusedKey = (thrown: unknown): boolean =>
  isPetstoreError(thrown) && (thrown.code === "invalid_credential" || thrown.code === "missing_credential")

/** Whether the service may be reached later. */
export const isAway = (thrown: unknown): boolean =>
  isPetstoreError(thrown) && ["network", "timeout", "storage_unavailable", "service_stopping"].includes(thrown.code)
