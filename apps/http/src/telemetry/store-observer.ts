/** Observes store calls from outside the adapters, so that all adapters and all port members are observed in the same way. */
import type { Repositories } from "@petstore/storage"
import { Effect, type Exit, type Layer } from "effect"
import { wrapCalls } from "./store-calls.js"

/** Called when a store call, such as `pets.insert`, begins. Returns the function to call when it ends. */
export type StoreObserver = (call: string) => (exit: Exit.Exit<unknown, unknown>) => void

/** A layer with observed repositories. Without observers, this is the original layer. */
export const observeStore = <E>(
  layer: Layer.Layer<Repositories, E>,
  observers: ReadonlyArray<StoreObserver>,
): Layer.Layer<Repositories, E> =>
  observers.length === 0
    ? layer
    : wrapCalls(layer, (call, effect) =>
        Effect.suspend(() => {
          const ends = observers.map((begin) => begin(call))
          return Effect.onExit(effect, (exit) =>
            Effect.sync(() => {
              for (const end of ends) end(exit)
            }),
          )
        }),
      )
