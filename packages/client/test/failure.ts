import { isPetstoreError, type PetstoreError } from "@petstore/client"

/** Returns the error of a call. Fails the test unless the call rejects with a PetstoreError. */
export const failureOf = async (call: Promise<unknown>): Promise<PetstoreError> => {
  const thrown = await call.then(
    (value) => new Error("The call succeeded.", { cause: value }),
    (reason: unknown) => reason,
  )
  if (!isPetstoreError(thrown)) throw thrown
  return thrown
}
