/** Observes store calls from outside the adapters, so that all adapters and all port members are observed in the same way. */
import { type Repositories, type RepositoryWrappers, wrapRepositories } from "@petstore/storage"
import { Effect, type Exit, type Layer } from "effect"

/** Called when a store call, such as `pets.insert`, begins. Returns the function to call when it ends. */
export type StoreObserver = (call: string) => (exit: Exit.Exit<unknown, unknown>) => void

/** A layer with observed repositories. Without observers, this is the original layer. */
export const observeStore = <E>(layer: Layer.Layer<Repositories, E>, observers: ReadonlyArray<StoreObserver>) => {
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

  /** A member of a port calls the store if it is an effect or a function that returns one. */
  const watched = (call: string, member: unknown): unknown => {
    if (Effect.isEffect(member)) return observed(call, member)
    if (typeof member !== "function") return member
    return (...args: ReadonlyArray<unknown>) => {
      const response: unknown = member(...args)
      return Effect.isEffect(response) ? observed(call, response) : response
    }
  }

  const watchedPort =
    (port: string) =>
    <Repository extends object>(repository: Repository): Repository =>
      // Safe: the observed value keeps its type.
      Object.fromEntries(
        Object.entries(repository).map(([member, value]) => [member, watched(`${port}.${member}`, value)]),
      ) as Repository

  const everyPort: Required<RepositoryWrappers> = {
    pets: watchedPort("pets"),
    orders: watchedPort("orders"),
    inventory: watchedPort("inventory"),
    categories: watchedPort("categories"),
    credentials: watchedPort("credentials"),
    deployment: watchedPort("deployment"),
    deprecatedCalls: watchedPort("deprecatedCalls"),
    appDatabase: watchedPort("appDatabase"),
    readiness: watchedPort("readiness"),
  }
  return wrapRepositories(layer, everyPort)
}
