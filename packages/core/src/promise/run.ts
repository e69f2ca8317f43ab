/** Runs use cases on an open store, and returns promises. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Result } from "./result.js"
import { type PlainCodeOf, type PlainFailure, resultOf } from "./result-of.js"

export interface OpenStore<R> {
  /** Runs a use case. A failure is a value in the result, and a defect rejects. Rejects after `close`. */
  readonly run: <A, E extends PlainFailure>(useCase: Effect.Effect<A, E, R>) => Promise<Result<A, PlainCodeOf<E>>>
  readonly close: () => Promise<void>
}

/** Builds the layer, and keeps it until the store is closed. Rejects with the layer's error if it cannot be built. */
export const openStore = async <R>(layer: Layer.Layer<R, unknown>): Promise<OpenStore<R>> => {
  const runtime = ManagedRuntime.make(layer)
  let isClosed = false

  const settle = async <A, E>(effect: Effect.Effect<A, E, R>) => {
    const exit = await runtime.runPromiseExit(Effect.either(effect))
    if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
    return exit.value
  }

  await settle(Effect.void)
  return {
    run: async (useCase) => {
      if (isClosed) throw new Error("The store is closed.")
      return resultOf(await settle(useCase))
    },
    close: () => {
      isClosed = true
      return runtime.dispose()
    },
  }
}
