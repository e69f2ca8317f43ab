/** The error of a call that has to fail. */
import { isPetstoreError, type PetstoreError } from "@petstore/client"

/** Fails the test unless the call rejects with one of the union. */
export const failureOf = async (call: Promise<unknown>): Promise<PetstoreError> => {
  const thrown = await call.then(
    (value) => new Error("The call succeeded.", { cause: value }),
    (reason: unknown) => reason,
  )
  if (!isPetstoreError(thrown)) throw thrown
  return thrown
}
