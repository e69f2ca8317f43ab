/** Watches what the use cases ask of the store, from outside of the adapters: every adapter is watched alike. */
import {
  CredentialRepository,
  DeprecatedCallRepository,
  InventoryRepository,
  OrderRepository,
  PetRepository,
  Readiness,
} from "@petstore/core"
import type { Repositories } from "@petstore/storage"
import { Context, Effect, type Exit, Layer } from "effect"

/** Sees a call to the store begin, and answers who sees it end. */
export type StoreObserver = (call: string) => (exit: Exit.Exit<unknown, unknown>) => void

/** The repositories of a layer, watched. Without observers it is the same layer. */
export const observeStore = <E>(
  layer: Layer.Layer<Repositories, E>,
  observers: ReadonlyArray<StoreObserver>,
): Layer.Layer<Repositories, E> => {
  if (observers.length === 0) return layer

  const observed = <A, F, R>(call: string, effect: Effect.Effect<A, F, R>): Effect.Effect<A, F, R> =>
    Effect.suspend(() => {
      const ends = observers.map((begin) => begin(call))
      return Effect.onExit(effect, (exit) =>
        Effect.sync(() => {
          for (const end of ends) end(exit)
        }),
      )
    })

  return Layer.map(layer, (context) => {
    const pets = Context.get(context, PetRepository)
    const credentials = Context.get(context, CredentialRepository)
    const orders = Context.get(context, OrderRepository)
    const deprecatedCalls = Context.get(context, DeprecatedCallRepository)
    const inventory = Context.get(context, InventoryRepository)
    const { check } = Context.get(context, Readiness)
    return context.pipe(
      Context.add(PetRepository, {
        ...pets,
        insert: (pet) => observed("pets.insert", pets.insert(pet)),
        insertOnce: (pet, claim) => observed("pets.insertOnce", pets.insertOnce(pet, claim)),
        find: (id) => observed("pets.find", pets.find(id)),
        list: (selection) => observed("pets.list", pets.list(selection)),
      }),
      Context.add(CredentialRepository, {
        ...credentials,
        findApiKey: (hash) => observed("credentials.findApiKey", credentials.findApiKey(hash)),
        recordApiKeyUse: (id, day) => observed("credentials.recordApiKeyUse", credentials.recordApiKeyUse(id, day)),
      }),
      Context.add(OrderRepository, {
        ...orders,
        insert: (petId, createdAt) => observed("orders.insert", orders.insert(petId, createdAt)),
        insertOnce: (petId, claim) => observed("orders.insertOnce", orders.insertOnce(petId, claim)),
        close: (id, closing, at) => observed("orders.close", orders.close(id, closing, at)),
        find: (id) => observed("orders.find", orders.find(id)),
        list: (selection) => observed("orders.list", orders.list(selection)),
      }),
      Context.add(DeprecatedCallRepository, {
        ...deprecatedCalls,
        record: (calls) => observed("deprecatedCalls.record", deprecatedCalls.record(calls)),
      }),
      Context.add(InventoryRepository, { ...inventory, read: observed("inventory.read", inventory.read) }),
      Context.add(Readiness, { check: observed("readiness.check", check) }),
    )
  })
}
