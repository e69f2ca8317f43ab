/** Makes a change exactly once, even if the request is sent repeatedly. */
import { type CreateOptions, isPetstoreError, type PetstoreError } from "@petstore/client"
import { hasCode, isUnavailable } from "./failure.ts"

/** How long the page waits before it sends a request again, in ms. */
const againMillis = 3_000

/**
 * Calls `send` until the outcome of the change is known. Later calls get the first failure that left it unknown. Calls `isUnknown`
 * whenever the outcome is not known yet. Rejects if the service refuses the change, or when `signal` aborts.
 */
const untilKnown = async <A>(
  send: (unknown: PetstoreError | undefined) => Promise<A>,
  isUnknown: () => void,
  signal: AbortSignal,
): Promise<A> => {
  let unknown: PetstoreError | undefined
  for (;;) {
    try {
      return await send(unknown)
    } catch (thrown) {
      if (!isPetstoreError(thrown)) throw thrown
      // The client itself also repeats requests. A rate-limit or timeout refusal of one request does not show whether an earlier
      // request ran.
      const mayHaveRun = unknown !== undefined || thrown.attempts > 1
      const tellsNothing = isUnavailable(thrown) || (mayHaveRun && hasCode(thrown, "rate_limited", "request_timeout"))
      if (!tellsNothing) throw thrown
      unknown ??= thrown
      isUnknown()
      await pause(againMillis, signal)
    }
  }
}

/** Creates an item exactly once. All requests reuse the first request's idempotency key. */
export const createOnce = <A>(
  create: (options: CreateOptions) => Promise<A>,
  isUnknown: () => void,
  signal: AbortSignal,
): Promise<A> => untilKnown((unknown) => create({ signal, idempotencyKey: unknown?.idempotencyKey }), isUnknown, signal)

/** Makes a change that has no idempotency key. `isMade` is whether a refusal means that an earlier request made the change. */
export const changeOnce = (
  change: () => Promise<unknown>,
  isMade: (refusal: unknown) => Promise<boolean>,
  isUnknown: () => void,
  signal: AbortSignal,
): Promise<void> =>
  untilKnown(
    async (unknown) => {
      try {
        await change()
      } catch (thrown) {
        if (unknown === undefined || !(await isMade(thrown))) throw thrown
      }
    },
    isUnknown,
    signal,
  )

export const pause = async (millis: number, signal: AbortSignal): Promise<void> => {
  signal.throwIfAborted()
  const ended = AbortSignal.any([signal, AbortSignal.timeout(millis)])
  await new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true }))
  signal.throwIfAborted()
}
