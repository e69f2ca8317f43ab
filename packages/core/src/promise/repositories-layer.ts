import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { CategoryRepository } from "../categories/category-repository.js"
import { ChangeRepository } from "../changes/change-repository.js"
import { CredentialRepository } from "../credentials/credential-repository.js"
import { Cryptography } from "../credentials/cryptography.js"
import {
  AccountNameTaken,
  CursorExpired,
  IdempotencyKeyReused,
  OrderClosed,
  OrderNotCompleted,
  OrderNotFound,
  PetNotAvailable,
  PetNotFound,
  SoldPetChanged,
  type StorageUnavailable,
} from "../errors.js"
import type { MadeOnce } from "../idempotency.js"
import { InventoryRepository } from "../inventory/inventory-repository.js"
import type { Order, ValidNewOrder } from "../orders/order.js"
import { type OrderRefusal, OrderRepository } from "../orders/order-repository.js"
import { PetRepository } from "../pets/pet-repository.js"
import type { ApiKey as PlainApiKey } from "./accounts.js"
import { attempt, opened } from "./attempt.js"
import { petPort } from "./pet-port.js"
import { domainApiKey, plainApiKey } from "./plain-api-key.js"
import type {
  OrderRefusedFor,
  PromiseCategoryRepository,
  PromiseChangeRepository,
  PromiseCredentialRepository,
  PromiseInventoryRepository,
  PromiseOrderRepository,
  PromiseRepositories,
} from "./repositories.js"

/** The services that a store with these ports provides. */
export interface RepositoryServices {
  readonly pets: PetRepository
  readonly orders: OrderRepository
  readonly inventory: InventoryRepository
  readonly categories: CategoryRepository
  readonly credentials: CredentialRepository
  readonly changes: ChangeRepository
  readonly cryptography: Cryptography
}

/**
 * Makes the ports from plain functions, for the contract suites, for `petstoreOf`, and for the use cases in Effect, as
 * `promisePetRepository` makes that of pets. The layer provides the ports that the object has.
 *
 * @param open  opens the store; called once each time the layer is built
 */
export const promiseRepositories = <Given extends PromiseRepositories>(
  open: () => Given | Promise<Given>,
): Layer.Layer<RepositoryServices[keyof Given & keyof RepositoryServices], StorageUnavailable> =>
  opened(open, ({ pets, orders, inventory, categories, credentials, changes, cryptography }: PromiseRepositories) => {
    const ports: ReadonlyArray<readonly [{ readonly key: string }, unknown]> = [
      [PetRepository, pets && petPort(pets)],
      [OrderRepository, orders && orderPort(orders)],
      [InventoryRepository, inventory && inventoryPort(inventory)],
      [CategoryRepository, categories && categoryPort(categories)],
      [CredentialRepository, credentials && credentialPort(credentials)],
      [ChangeRepository, changes && changePort(changes)],
      [Cryptography, cryptography],
    ]
    const given = ports.flatMap(([{ key }, port]) => (port === undefined ? [] : [[key, port] as const]))
    return Context.unsafeMake<RepositoryServices[keyof Given & keyof RepositoryServices]>(new Map(given))
  })

/** Calls a function that returns `undefined` if there is nothing. */
const found = <A>(call: () => Promise<A | undefined>) => Effect.map(attempt(call), Option.fromNullable)

const isRefusal = (result: object | string): result is OrderRefusedFor =>
  result === "pet-not-found" || Object.hasOwn(Object(result), "petStatus")

const refusalOf = ({ petId }: ValidNewOrder, refused: OrderRefusedFor): OrderRefusal =>
  refused === "pet-not-found" ? new PetNotFound({ petId }) : new PetNotAvailable({ petId, status: refused.petStatus })

const orderPort = (orders: PromiseOrderRepository) =>
  OrderRepository.of({
    insert: (order, createdAt, by) =>
      attempt(() => orders.insert(order, createdAt, by)).pipe(
        Effect.flatMap((made) => (isRefusal(made) ? Effect.fail(refusalOf(order, made)) : Effect.succeed(made))),
      ),
    insertOnce: (order, claim, by) =>
      attempt(() => orders.insertOnce(order, claim, by)).pipe(
        Effect.flatMap((made): Effect.Effect<MadeOnce<Order>, OrderRefusal | IdempotencyKeyReused> => {
          if (made === "reused") return new IdempotencyKeyReused({ key: claim.key })
          return isRefusal(made) ? Effect.fail(refusalOf(order, made)) : Effect.succeed(made)
        }),
      ),
    close: (orderId, closing, closedAt, by) =>
      attempt(() => orders.close(orderId, closing, closedAt, by)).pipe(
        Effect.flatMap((closed): Effect.Effect<Order, OrderNotFound | OrderClosed> => {
          if (closed === "not-found") return new OrderNotFound({ orderId })
          return "orderStatus" in closed ? new OrderClosed({ orderId, status: closed.orderStatus }) : Effect.succeed(closed)
        }),
      ),
    giveBack: (orderId, returnedAt, by) =>
      attempt(() => orders.giveBack(orderId, returnedAt, by)).pipe(
        Effect.flatMap((returned): Effect.Effect<Order, OrderNotFound | OrderNotCompleted | SoldPetChanged> => {
          if (returned === "not-found") return new OrderNotFound({ orderId })
          if ("changedPet" in returned) return new SoldPetChanged({ orderId, petId: returned.changedPet })
          return "orderStatus" in returned
            ? new OrderNotCompleted({ orderId, status: returned.orderStatus })
            : Effect.succeed(returned)
        }),
      ),
    setNote: (seen, note, by) => attempt(() => orders.setNote(seen, note, by)),
    find: (id) => found(() => orders.find(id)),
    list: ({ status, after, ...rest }) =>
      attempt(() => orders.list({ ...rest, status: Option.getOrUndefined(status), after: Option.getOrUndefined(after) })),
  })

const inventoryPort = (inventory: PromiseInventoryRepository) =>
  InventoryRepository.of({
    read: attempt(() => inventory.read()),
    recount: attempt(() => inventory.recount()),
  })

const categoryPort = (categories: PromiseCategoryRepository) =>
  CategoryRepository.of({
    replace: (category, former, by) => attempt(() => categories.replace(category, Option.getOrUndefined(former), by)),
    remove: (former, by) => attempt(() => categories.remove(former, by)),
    find: (id) => found(() => categories.find(id)),
    list: ({ after, limit }) => attempt(() => categories.list({ after: Option.getOrUndefined(after), limit })),
  })

const credentialPort = (credentials: PromiseCredentialRepository) => {
  const foundKey = (call: () => Promise<PlainApiKey | undefined>) => Effect.map(found(call), Option.map(domainApiKey))
  return CredentialRepository.of({
    insertAccount: (account) =>
      attempt(() => credentials.insertAccount(account)).pipe(
        Effect.flatMap((outcome) => (outcome === "name-taken" ? new AccountNameTaken({ name: account.name }) : Effect.void)),
      ),
    findAccount: (name) => found(() => credentials.findAccount(name)),
    disableAccount: (name, disabledAt) => found(() => credentials.disableAccount(name, disabledAt)),
    enableAccount: (name) => found(() => credentials.enableAccount(name)),
    listAccounts: attempt(() => credentials.listAccounts()),
    insertApiKey: (made, hash) => attempt(() => credentials.insertApiKey(plainApiKey(made), hash)),
    findApiKey: (hash) => foundKey(() => credentials.findApiKey(hash)),
    listApiKeys: attempt(() => credentials.listApiKeys()).pipe(Effect.map((keys) => keys.map(domainApiKey))),
    revokeApiKey: (id, revokedAt) => foundKey(() => credentials.revokeApiKey(id, revokedAt)),
    replaceApiKey: (former, expiresAt, made, hash) =>
      foundKey(() => credentials.replaceApiKey(former, expiresAt, plainApiKey(made), hash)),
    recordApiKeyUse: (id, day) => attempt(() => credentials.recordApiKeyUse(id, day)),
  })
}

const changePort = (changes: PromiseChangeRepository) =>
  ChangeRepository.of({
    list: ({ after, ...rest }) =>
      attempt(() => changes.list({ ...rest, after: Option.getOrUndefined(after) })).pipe(
        Effect.flatMap((found) => (found === "expired" ? new CursorExpired() : Effect.succeed(found))),
      ),
    latest: attempt(() => changes.latest()),
    restorePet: (petId, by) =>
      attempt(() => changes.restorePet(petId, by)).pipe(
        Effect.flatMap((pet) => (pet === undefined ? new PetNotFound({ petId }) : Effect.succeed(pet))),
      ),
    removeBefore: (time, limit) => attempt(() => changes.removeBefore(time, limit)),
  })
