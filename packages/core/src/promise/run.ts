import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Result } from "./result.js"
import { type PlainCodeOf, type PlainFailure, resultOf } from "./result-of.js"
import type { CallSignal } from "./signal.js"

export interface OpenStore<R> {
  /** Runs a use case. A failure is a value in the result. Rejects only because of a defect, or after `close`. */
  readonly run: <A, E extends PlainFailure>(useCase: Effect.Effect<A, E, R>) => Promise<Result<A, PlainCodeOf<E>>>
  /** Every call returns the same promise, which rejects with the store's error if the store cannot be closed. */
  readonly close: () => Promise<void>
}

/** The same store, whose calls reject with the signal's reason as soon as the signal aborts. */
export const within = <R>(store: OpenStore<R>, signal: CallSignal): OpenStore<R> => {
  const aborted = Effect.async<never>((resume) => {
    const stop = () => resume(Effect.die(signal.reason))
    signal.addEventListener("abort", stop)
    // It may have aborted before the call began.
    if (signal.aborted) stop()
    return Effect.sync(() => signal.removeEventListener("abort", stop))
  })
  return {
    ...store,
    run: async (useCase) => {
      if (signal.aborted) throw signal.reason
      // Disconnected, because the store may finish a write that it has begun.
      return store.run(Effect.raceFirst(Effect.disconnect(useCase), aborted))
    },
  }
}

/** Builds the layer, which stays open until the store is closed. Rejects with the layer's error if the layer fails. */
export const openStore = async <R>(layer: Layer.Layer<R, unknown>): Promise<OpenStore<R>> => {
  const runtime = ManagedRuntime.make(layer)
  let closing: Promise<void> | undefined

  const settle = async <A, E>(effect: Effect.Effect<A, E, R>) => valueIn(await runtime.runPromiseExit(Effect.either(effect)))

  await settle(Effect.void)
  return {
    run: async (useCase) => {
      if (closing !== undefined) throw new Error("The store is closed.")
      return resultOf(await settle(useCase))
    },
    close: () => {
      // A second call of the runtime's `dispose` would not wait for the first.
      closing ??= Effect.runPromiseExit(runtime.disposeEffect).then(valueIn)
      return closing
    },
  }
}

/** Throws the original error, not Effect's wrapper. */
const valueIn = <A>(exit: Exit.Exit<A, unknown>): A => {
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  return exit.value
}
