/** Wraps the calls to a store from outside the adapters, in the same way for all adapters and all port members. */
import { StorageUnavailable } from "@petstore/core"
import { type Repositories, type RepositoryWrappers, storage, wrapRepositories } from "@petstore/storage"
import { Effect, Layer } from "effect"

/** Returns what runs instead of a store call such as `pets.insert`. */
type WrapCall = <A, E, R>(call: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>

/** A layer with the same repositories, in which every call to the store is wrapped. */
export const wrapCalls = <E>(layer: Layer.Layer<Repositories, E>, wrap: WrapCall): Layer.Layer<Repositories, E> => {
  /** A member of a port calls the store if it is an effect or a function that returns one. */
  const wrapMember = (call: string, member: unknown): unknown => {
    if (Effect.isEffect(member)) return wrap(call, member)
    if (typeof member !== "function") return member
    return (...args: ReadonlyArray<unknown>) => {
      const response: unknown = member(...args)
      return Effect.isEffect(response) ? wrap(call, response) : response
    }
  }

  const wrapPort =
    (port: string) =>
    <Repository extends object>(repository: Repository): Repository =>
      // Safe: the wrapped value keeps its type.
      Object.fromEntries(
        Object.entries(repository).map(([member, value]) => [member, wrapMember(`${port}.${member}`, value)]),
      ) as Repository

  const everyPort: Required<RepositoryWrappers> = {
    pets: wrapPort("pets"),
    orders: wrapPort("orders"),
    inventory: wrapPort("inventory"),
    categories: wrapPort("categories"),
    changes: wrapPort("changes"),
    credentials: wrapPort("credentials"),
    deployment: wrapPort("deployment"),
    deprecatedCalls: wrapPort("deprecatedCalls"),
    webhooks: wrapPort("webhooks"),
    appDatabase: wrapPort("appDatabase"),
    readiness: wrapPort("readiness"),
  }
  return wrapRepositories(layer, everyPort)
}

/** A store that is unavailable: every call fails. */
export const unavailableStore = (cause: unknown): Layer.Layer<Repositories, never> =>
  wrapCalls(storage("memory:", { migrate: true }).pipe(Layer.orDie), () => new StorageUnavailable({ cause }))
