import {
  CategoryRepository,
  ChangeRepository,
  CredentialRepository,
  DeploymentRepository,
  DeprecatedCallRepository,
  InventoryRepository,
  OrderRepository,
  PetRepository,
  Readiness,
  WebhookRepository,
} from "@petstore/core"
import { spannedPort } from "@petstore/core/internal"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { AppDatabase } from "./app-table.js"

/** A store's repositories, and access to an app's tables. Some stores also provide `PetFreshness`. */
export type Repositories =
  | PetRepository
  | OrderRepository
  | InventoryRepository
  | CategoryRepository
  | ChangeRepository
  | CredentialRepository
  | DeploymentRepository
  | DeprecatedCallRepository
  | WebhookRepository
  | AppDatabase
  | Readiness

/** A store's ports, by their names in metrics and traces. */
export interface RepositoriesByName {
  readonly pets: Context.Tag.Service<PetRepository>
  readonly orders: Context.Tag.Service<OrderRepository>
  readonly inventory: Context.Tag.Service<InventoryRepository>
  readonly categories: Context.Tag.Service<CategoryRepository>
  readonly changes: Context.Tag.Service<ChangeRepository>
  readonly credentials: Context.Tag.Service<CredentialRepository>
  readonly deployment: Context.Tag.Service<DeploymentRepository>
  readonly deprecatedCalls: Context.Tag.Service<DeprecatedCallRepository>
  readonly webhooks: Context.Tag.Service<WebhookRepository>
  readonly appDatabase: Context.Tag.Service<AppDatabase>
  readonly readiness: Context.Tag.Service<Readiness>
}

const ports: {
  readonly [Name in keyof RepositoriesByName]: { readonly key: string; readonly Service: RepositoriesByName[Name] }
} = {
  pets: PetRepository,
  orders: OrderRepository,
  inventory: InventoryRepository,
  categories: CategoryRepository,
  changes: ChangeRepository,
  credentials: CredentialRepository,
  deployment: DeploymentRepository,
  deprecatedCalls: DeprecatedCallRepository,
  webhooks: WebhookRepository,
  appDatabase: AppDatabase,
  readiness: Readiness,
}

/** For each port, the function that wraps its repository. */
export type RepositoryWrappers = {
  readonly [Name in keyof RepositoriesByName]?: ((repository: RepositoriesByName[Name]) => RepositoriesByName[Name]) | undefined
}

export const repositoriesOf = (adapter: RepositoriesByName): Context.Context<Repositories> => contextOf((name) => adapter[name])

/**
 * Returns the same store with some repositories wrapped, for example to count calls.
 *
 * @example
 * const store = wrapRepositories(storage("memory:", { migrate: true }), {
 *   pets: (pets) => ({ ...pets, insert: (pet) => Effect.tap(pets.insert(pet), ({ id }) => Effect.log(`kept ${id}`)) }),
 * })
 * yield* Effect.provide(createPet({ name: "Bello", categoryId: 7n }), store) // { id: 1n, name: "Bello", categoryId: 7n }
 */
export const wrapRepositories = <E>(store: Layer.Layer<Repositories, E>, wrappers: RepositoryWrappers) =>
  Layer.map(store, (repositories): Context.Context<Repositories> => {
    const wrapped = <Name extends keyof RepositoriesByName>(name: Name): RepositoriesByName[Name] => {
      // Safe: a port's key maps to that port's repository.
      const repository = repositories.unsafeMap.get(ports[name].key) as RepositoriesByName[Name]
      return wrappers[name]?.(repository) ?? repository
    }
    return Context.merge(repositories, contextOf(wrapped))
  })

/** Returns the same store, each of whose calls is a span of the tracer that the program has set, such as `PetRepository.insert`. */
export const spannedRepositories = <E>(store: Layer.Layer<Repositories, E>): Layer.Layer<Repositories, E> =>
  Layer.map(store, (repositories): Context.Context<Repositories> => {
    const spanned = <Name extends keyof RepositoriesByName>(name: Name): RepositoriesByName[Name] => {
      const { key } = ports[name]
      // Safe: a port's key maps to that port's repository.
      return spannedPort(key.split("/").at(-1) ?? key, repositories.unsafeMap.get(key) as RepositoriesByName[Name])
    }
    return Context.merge(repositories, contextOf(spanned))
  })

const contextOf = (serviceOf: (name: keyof RepositoriesByName) => unknown): Context.Context<Repositories> => {
  // Safe: `ports` has no other keys.
  const names = Object.keys(ports) as ReadonlyArray<keyof RepositoriesByName>
  return Context.unsafeMake(new Map(names.map((name) => [ports[name].key, serviceOf(name)])))
}
