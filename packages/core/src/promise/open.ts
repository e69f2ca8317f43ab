import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import * as categories from "../categories/categories.js"
import type { Category } from "../categories/category.js"
import type { CategoryRepository } from "../categories/category-repository.js"
import type { ChangeRepository } from "../changes/change-repository.js"
import { decodeChangePageRequest, listChanges, restorePet } from "../changes/changes.js"
import type { Condition } from "../condition.js"
import type { CredentialRepository } from "../credentials/credential-repository.js"
import * as credentials from "../credentials/credentials.js"
import type { Cryptography } from "../credentials/cryptography.js"
import { getMe } from "../credentials/me.js"
import type { MadeOnce } from "../idempotency.js"
import { getInventory } from "../inventory/get-inventory.js"
import type { InventoryRepository } from "../inventory/inventory-repository.js"
import { checkNewOrder } from "../orders/order-decoders.js"
import type { OrderRepository } from "../orders/order-repository.js"
import * as orders from "../orders/orders.js"
import { createPets } from "../pets/create-pets.js"
import { checkNewPet } from "../pets/pet-decoders.js"
import type { PetRepository } from "../pets/pet-repository.js"
import * as pets from "../pets/pets.js"
import type { Accounts, ApiKeys } from "./accounts.js"
import type { Catalogue } from "./catalogue.js"
import { followChanges } from "./change-feed.js"
import { claimCall } from "./claim.js"
import { everyItem, plainPage } from "./lists.js"
import type { Categories, CategoryCondition, Orders, Petstore } from "./petstore.js"
import { domainApiKey, plainApiKey } from "./plain-api-key.js"
import type { FailureCode, OnceResult, Result } from "./result.js"
import { type OpenStore, openStore, within } from "./run.js"

/**
 * Builds a layer and returns its operations on pets, as promises. Rejects with the layer's error if the layer cannot be built.
 *
 * @example
 * const catalogue = await catalogueOf(storage({ adapter: "memory" }, { migrate: true }))
 * await catalogue.createPet({ name: "Bello", categoryId: 7n }) // { ok: true, value: { id: 1n, name: "Bello", categoryId: 7n } }
 * await catalogue.close()
 */
export const catalogueOf = async (layer: Layer.Layer<PetRepository, unknown>): Promise<Catalogue> =>
  catalogueIn(await openStore(layer))

type Services =
  | PetRepository
  | OrderRepository
  | InventoryRepository
  | CategoryRepository
  | ChangeRepository
  | CredentialRepository
  | Cryptography

/** Builds a layer and returns all its operations, as promises. Rejects with the layer's error if the layer cannot be built. */
export const petstoreOf = async (layer: Layer.Layer<Services, unknown>): Promise<Petstore> => {
  return petstoreIn(await openStore(layer))
}

const petstoreIn = (store: OpenStore<Services>): Petstore => {
  const list: Petstore["listChanges"] = async (query = {}) => store.run(plainPage(decodeChangePageRequest, listChanges, query))
  return {
    ...catalogueIn(store),
    within: (signal) => petstoreIn(within(store, signal)),
    getInventory: () => store.run(getInventory),
    restorePet: (petId) => store.run(restorePet(petId)),
    me: (key) => store.run(getMe(domainApiKey(key))),
    orders: ordersIn(store),
    categories: categoriesIn(store),
    listChanges: list,
    changes: (query = {}) => followChanges(store, list, query),
    accounts: accountsIn(store),
    apiKeys: apiKeysIn(store),
  }
}

const catalogueIn = (store: OpenStore<PetRepository>): Catalogue => {
  const { run, close } = store
  const list: Catalogue["listPets"] = async (query = {}) => run(plainPage(pets.decodePetPageRequest, pets.listPets, query))
  return {
    createPet: async (pet) => run(pets.createPet(pet)),
    createPetOnce: async (pet, key, options) =>
      onceOf(
        await run(
          Effect.flatMap(checkNewPet(pet), (valid) => {
            const content = [valid.name, String(valid.categoryId), valid.status ?? null]
            return Effect.flatMap(claimCall("createPet", key, content, options), (claim) => pets.createPetOnce(valid, claim))
          }),
        ),
      ),
    createPets: async (batches) => run(createPets(batches)),
    getPet: (petId) => run(pets.getPet(petId)),
    correctPet: (petId, correction, isExpected) => run(pets.correctPet(petId, correction, conditionOf(isExpected))),
    removePet: (petId, isExpected) => run(pets.removePet(petId, conditionOf(isExpected))),
    listPets: list,
    listAllPets: (query = {}) => everyItem(list, query),
    within: (signal) => catalogueIn(within(store, signal)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const ordersIn = ({ run }: OpenStore<OrderRepository>): Orders => {
  const list: Orders["list"] = async (query = {}) => run(plainPage(orders.decodeOrderPageRequest, orders.listOrders, query))
  return {
    create: async (order) => run(orders.createOrder(order)),
    createOnce: async (order, key, options) =>
      onceOf(
        await run(
          Effect.flatMap(checkNewOrder(order), (valid) =>
            Effect.flatMap(claimCall("createOrder", key, [String(valid.petId), valid.note ?? null], options), (claim) =>
              orders.createOrderOnce(valid, claim),
            ),
          ),
        ),
      ),
    complete: (orderId) => run(orders.completeOrder(orderId)),
    cancel: (orderId) => run(orders.cancelOrder(orderId)),
    return: (orderId) => run(orders.returnOrder(orderId)),
    change: (orderId, change, isExpected) => run(orders.changeOrder(orderId, change, conditionOf(isExpected))),
    get: (orderId) => run(orders.getOrder(orderId)),
    list,
    listAll: (query = {}) => everyItem(list, query),
  }
}

const onceOf = <A, Code extends FailureCode>(made: Result<MadeOnce<A>, Code>): OnceResult<A, Code> =>
  made.ok ? { ok: true, value: made.value.value, isNew: made.value.isNew } : made

const categoriesIn = ({ run }: OpenStore<CategoryRepository>): Categories => {
  const conditionOf = (condition?: CategoryCondition): Condition<Category> | undefined =>
    condition && ((present) => condition(Option.getOrUndefined(present)))
  const list: Categories["list"] = (query = {}) =>
    run(plainPage(categories.decodeCategoryPageRequest, categories.listCategories, query))
  return {
    replace: async (id, category, condition) =>
      onceOf(await run(categories.replaceCategory(id, category, conditionOf(condition)))),
    remove: (id, condition) => run(categories.removeCategory(id, conditionOf(condition))),
    get: (id) => run(categories.getCategory(id)),
    list,
    listAll: () => everyItem(list, {}),
  }
}

const accountsIn = ({ run }: OpenStore<CredentialRepository | Cryptography>): Accounts => ({
  create: (name) => run(credentials.createAccount(name)),
  disable: (name) => run(credentials.disableAccount(name)),
  enable: (name) => run(credentials.enableAccount(name)),
  list: () => run(credentials.listAccounts),
})

const apiKeysIn = ({ run }: OpenStore<CredentialRepository | Cryptography>): ApiKeys => ({
  create: async (key) => run(Effect.map(credentials.createApiKey(key), Struct.evolve({ apiKey: plainApiKey }))),
  list: () => run(Effect.map(credentials.listApiKeys, (keys) => keys.map(plainApiKey))),
  rotate: async (keyId, options) =>
    run(Effect.map(credentials.rotateApiKey(keyId, options), Struct.evolve({ apiKey: plainApiKey, former: plainApiKey }))),
  revoke: (keyId) => run(Effect.map(credentials.revokeApiKey(keyId), plainApiKey)),
  authenticate: (secret, deployment) => run(Effect.map(credentials.authenticate(secret, deployment), plainApiKey)),
})

const conditionOf = <A>(isExpected?: (present: A) => boolean): Condition<A> | undefined =>
  isExpected && ((present) => Option.exists(present, isExpected))
