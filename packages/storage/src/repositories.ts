/** What a store gives, whatever it is kept on. */
import {
  CategoryRepository,
  CredentialRepository,
  DeploymentRepository,
  DeprecatedCallRepository,
  InventoryRepository,
  OrderRepository,
  PetRepository,
  Readiness,
} from "@petstore/core"
import * as Context from "effect/Context"
import { AppDatabase } from "./app-table.js"

/** Everything a store keeps, and the way to tables of an app beside it. */
export type Repositories =
  | PetRepository
  | OrderRepository
  | InventoryRepository
  | CategoryRepository
  | CredentialRepository
  | DeploymentRepository
  | DeprecatedCallRepository
  | AppDatabase
  | Readiness

/** The ports of a store, by the names that metrics and traces give to their calls. One that is missing does not compile. */
const ports = {
  pets: PetRepository,
  orders: OrderRepository,
  inventory: InventoryRepository,
  categories: CategoryRepository,
  credentials: CredentialRepository,
  deployment: DeploymentRepository,
  deprecatedCalls: DeprecatedCallRepository,
  appDatabase: AppDatabase,
  readiness: Readiness,
}

type Ports = typeof ports

export const repositoriesOf = (
  adapter: {
    readonly [Name in keyof Ports]: Context.Tag.Service<Ports[Name]>
  },
): Context.Context<Repositories> => contextOf((name) => adapter[name])

/** The same repositories, each member changed: `change` is told which one, such as `pets.insert`, and keeps its type. */
export const mapMembers = (
  repositories: Context.Context<Repositories>,
  change: (call: string, member: unknown) => unknown,
): Context.Context<Repositories> =>
  contextOf((name) => {
    const service: object = repositories.unsafeMap.get(ports[name].key)
    return Object.fromEntries(Object.entries(service).map(([member, value]) => [member, change(`${name}.${member}`, value)]))
  })

const contextOf = (serviceOf: (name: keyof Ports) => unknown): Context.Context<Context.Tag.Identifier<Ports[keyof Ports]>> => {
  // Safe: the keys of an object that has no others.
  const names = Object.keys(ports) as ReadonlyArray<keyof Ports>
  return Context.unsafeMake(new Map(names.map((name) => [ports[name].key, serviceOf(name)])))
}
