/** Watches what is asked of a store, from outside of the adapters: every adapter and every member of a port is watched alike. */
import { type Repositories, type RepositoryWrappers, wrapRepositories } from "@petstore/storage"
import { Effect, type Exit, type Layer, Option } from "effect"

/** Sees a call to the store begin, `pets.insert` for instance, and answers who sees it end. */
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

  /** A member of a port asks the store if it is an effect, or a function that gives one. An `Option` is a value, although Effect runs it. */
  const watched = (call: string, member: unknown): unknown => {
    if (Effect.isEffect(member) && !Option.isOption(member)) return observed(call, member)
    if (typeof member !== "function") return member
    return (...args: ReadonlyArray<unknown>) => {
      const answer: unknown = member(...args)
      return Effect.isEffect(answer) && !Option.isOption(answer) ? observed(call, answer) : answer
    }
  }

  const watchedPort =
    (port: string) =>
    <Repository extends object>(repository: Repository): Repository =>
      // Safe: what is watched keeps its type.
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
