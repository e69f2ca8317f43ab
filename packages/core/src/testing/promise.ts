/** How a contract suite runs one promise of a port. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import type * as Utils from "effect/Utils"
import { it } from "./runner.js"

/** Declares one promise. `test` is given the port, and may ask for what else the store has. */
export type DeclarePromise<R, Port> = (
  name: string,
  test: (port: Port) => Generator<Utils.YieldWrap<Effect.Effect<unknown, unknown, R>>, void, never>,
) => void

/**
 * Makes the function that declares and runs one promise of `port`. `empty` is rebuilt for each and
 * released after it. The test fails with the error as it was thrown, so that the runner shows the difference.
 */
export const contractTest =
  <R, Port>(empty: Layer.Layer<R, unknown>, port: Effect.Effect<Port, never, NoInfer<R>>): DeclarePromise<R, Port> =>
  (name, test) =>
    it(name, () =>
      openedAnew(
        Effect.flatMap(port, (given) => Effect.gen(() => test(given))),
        empty,
      ),
    )

/** Runs steps on a store that is opened for them. Rejects with the error as it was thrown. */
export const openedAnew = async <R>(
  steps: Effect.Effect<unknown, unknown, NoInfer<R>>,
  store: Layer.Layer<R, unknown>,
): Promise<void> => {
  const exit = await Effect.runPromiseExit(Effect.provide(steps, store))
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
}

/** Does something for each of many, all at once. */
export const atOnce = <A, B, E, R>(
  many: Iterable<A>,
  use: (one: A, index: number) => Effect.Effect<B, E, R>,
): Effect.Effect<ReadonlyArray<B>, E, R> => Effect.forEach(many, use, { concurrency: "unbounded" })
