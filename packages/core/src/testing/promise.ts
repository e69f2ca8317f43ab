import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import type * as Utils from "effect/Utils"
import { expect, it, suite, type TestRunner } from "./runner.js"

/** Declares a test for one promise. `test` receives the port, and may use other services of the store. */
export type DeclarePromise<R, Port> = (
  name: string,
  test: (port: Port) => Generator<Utils.YieldWrap<Effect.Effect<unknown, unknown, R>>, void, never>,
) => void

/** Returns the function that declares tests of `port`. Each test opens and closes `empty`, and fails with the original error. */
export const contractTest =
  <R, Port>(empty: Layer.Layer<R, unknown>, port: Effect.Effect<Port, never, NoInfer<R>>): DeclarePromise<R, Port> =>
  (name, test) =>
    it(name, () =>
      openedAnew(
        Effect.flatMap(port, (given) => Effect.gen(() => test(given))),
        empty,
      ),
    )

/**
 * Declares a contract suite for an adapter that provides the services `R`.
 *
 * @param adapter  the adapter's name in the test report
 * @param empty    opens an empty store; built again for each test
 * @param options  `runner` declares the tests; vitest if absent
 */
export type ContractSuite<R> = (
  adapter: string,
  empty: Layer.Layer<R, unknown>,
  options?: { readonly runner?: TestRunner | undefined },
) => void

/** Returns the function that declares a port's contract suite. `declare` declares the tests. */
export const contractSuite =
  <Id, Port, More = never>(
    port: Context.Tag<Id, Port>,
    declare: (promise: DeclarePromise<Id | NoInfer<More>, Port>) => void,
  ): ContractSuite<Id | More> =>
  (adapter, empty, { runner } = {}) => {
    suite(runner, `${port.key.split("/").at(-1)} on ${adapter}`, () => declare(contractTest(empty, port)))
  }

/** Opens a store, runs steps on it, and closes it. Rejects with the original error. */
export const openedAnew = async <A, R>(
  steps: Effect.Effect<A, unknown, NoInfer<R>>,
  store: Layer.Layer<R, unknown>,
): Promise<A> => {
  const exit = await Effect.runPromiseExit(Effect.provide(steps, store))
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  return exit.value
}

export const atOnce = <A, B, E, R>(
  many: Iterable<A>,
  use: (one: A, index: number) => Effect.Effect<B, E, R>,
): Effect.Effect<ReadonlyArray<B>, E, R> => Effect.forEach(many, use, { concurrency: "unbounded" })

export const refuses = <R>(effect: Effect.Effect<unknown, unknown, R>, failure: unknown): Effect.Effect<void, never, R> =>
  Effect.map(Effect.either(effect), (result) => expect(result).toStrictEqual(Either.left(failure)))
