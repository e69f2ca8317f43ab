import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { StorageUnavailable } from "../errors.js"

/** Calls a function of an adapter. Only a `StorageUnavailable` is a failure; any other error is a bug, and stays a defect. */
export const attempt = <A>(call: () => Promise<A>): Effect.Effect<A, StorageUnavailable> =>
  Effect.tryPromise({ try: async () => call(), catch: (thrown) => thrown }).pipe(
    Effect.catchAll((thrown) => (thrown instanceof StorageUnavailable ? thrown : Effect.die(thrown))),
  )

/** Opens a store for as long as the layer is in use. If the store's `close` rejects, the release dies with the same error. */
export const opened = <Store extends { readonly close?: (() => Promise<void>) | undefined }, R>(
  open: () => Store | Promise<Store>,
  portsOf: (store: Store) => Context.Context<R>,
): Layer.Layer<R, StorageUnavailable> =>
  Layer.scopedContext(
    Effect.acquireRelease(
      attempt(async () => open()),
      ({ close }) => (close === undefined ? Effect.void : Effect.promise(async () => close())),
    ).pipe(Effect.map(portsOf)),
  )
