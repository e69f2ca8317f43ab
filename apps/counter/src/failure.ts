/** A failure as a sentence for the people of the store. */
import { isPetstoreError } from "@petstore/client"

/** What happened and what to do. Nothing of a key is in it. */
export const sentenceOf = (thrown: unknown): string => {
  if (!isPetstoreError(thrown)) return thrown instanceof Error ? thrown.message : String(thrown)
  if (thrown.code === "network" || thrown.code === "timeout") {
    return "The service does not answer. Check the network; this page goes on trying."
  }
  if (thrown.code === "pet_not_available") return "Somebody else was faster, or the animal is not for sale: it is not available."
  return thrown.message
}

/** Whether the key is the reason: then only another key helps. */
export const isRefusedKey = (thrown: unknown): boolean =>
  isPetstoreError(thrown) && (thrown.code === "invalid_credential" || thrown.code === "missing_credential")
