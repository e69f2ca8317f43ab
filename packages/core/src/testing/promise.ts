/** How a contract suite runs one promise of a port. */
import { Cause, Effect, Exit, type Layer } from "effect"
import { it } from "vitest"

/**
 * Makes the function that runs one promise. `empty` is built anew for each and
 * released after it. The test fails with the error as it was thrown, so that vitest shows the difference.
 */
export const promiseOn =
  <R>(empty: Layer.Layer<R, unknown>) =>
  (name: string, test: Effect.Effect<void, unknown, R>): void =>
    it(name, async () => {
      const exit = await Effect.runPromiseExit(Effect.provide(test, empty))
      if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
    })
