/** Opens a store for callers of promises. */
import { Effect, type Layer, Option } from "effect"
import type { ApiKey as DomainApiKey } from "../credentials/credential.js"
import { CredentialRepository } from "../credentials/credential-repository.js"
import { authenticate, createAccount, createApiKey, revokeApiKey, rotateApiKey } from "../credentials/credentials.js"
import type { Cryptography } from "../credentials/cryptography.js"
import { InventoryRepository } from "../inventory/inventory-repository.js"
import { decodeNewOrder, type NewOrder } from "../orders/order.js"
import type { OrderRepository } from "../orders/order-repository.js"
import type { OrderClosing } from "../orders/order-status.js"
import { closeOrder, createOrder, createOrderOnce, decodeOrderPageRequest, getOrder, listOrders } from "../orders/orders.js"
import { decodeNewPet, type NewPet } from "../pets/pet.js"
import type { PetRepository } from "../pets/pet-repository.js"
import { createPet, createPetOnce, decodePetPageRequest, getPet, listPets } from "../pets/pets.js"
import type { Accounts, ApiKey, ApiKeys } from "./accounts.js"
import type { Catalogue } from "./catalogue.js"
import { claimCall } from "./claim.js"
import { everyItem, plainPage } from "./lists.js"
import type { PromisePetRepository } from "./pet-repository.js"
import { promisePetRepository } from "./pet-repository-layer.js"
import type { Orders, Petstore } from "./petstore.js"
import { type OpenStore, openStore } from "./run.js"

/**
 * The operations on pets of a layer, as promises. Rejects with the error of the layer if it cannot be built.
 *
 * @example
 * const catalogue = await catalogueOf(storage({ adapter: "memory" }, { migrate: true }))
 * await catalogue.createPet({ name: "Bello", categoryId: 7n }) // { ok: true, value: { id: 1n, name: "Bello", categoryId: 7n } }
 * await catalogue.close()
 */
export const catalogueOf = async (layer: Layer.Layer<PetRepository, unknown>): Promise<Catalogue> =>
  catalogueIn(await openStore(layer))

/**
 * Opens a repository of your own, and gives the operations on its pets as promises. Rejects if it cannot be opened: with a
 * `StorageUnavailable` whose `cause` is what `open` threw. For the stores of `@petstore/storage` see `openPetstore` there.
 *
 * @param open  opens the repository; called once
 */
export const openCatalogue = (open: () => PromisePetRepository | Promise<PromisePetRepository>): Promise<Catalogue> =>
  catalogueOf(promisePetRepository(open))

/** All operations of a layer, as promises. Rejects with the error of the layer if it cannot be built. */
export const petstoreOf = async (
  layer: Layer.Layer<PetRepository | OrderRepository | InventoryRepository | CredentialRepository | Cryptography, unknown>,
): Promise<Petstore> => {
  const store = await openStore(layer)
  return {
    ...catalogueIn(store),
    getInventory: () => store.run(Effect.flatMap(InventoryRepository, ({ read }) => read)),
    orders: ordersIn(store),
    accounts: accountsIn(store),
    apiKeys: apiKeysIn(store),
  }
}

const catalogueIn = ({ run, close }: OpenStore<PetRepository>): Catalogue => {
  const list: Catalogue["listPets"] = (query = {}) => run(plainPage(decodePetPageRequest, listPets, query))
  return {
    createPet: (pet) => run(Effect.flatMap(validateNewPet(pet), createPet)),
    createPetOnce: (pet, key) =>
      run(
        Effect.flatMap(validateNewPet(pet), (valid) => {
          const claim = claimCall("createPet", key, [valid.name, String(valid.categoryId), valid.status ?? null])
          return Effect.flatMap(claim, (made) => createPetOnce(valid, made))
        }),
      ),
    getPet: (petId) => run(getPet(petId)),
    listPets: list,
    listAllPets: (query) => everyItem(list, query),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const ordersIn = ({ run }: OpenStore<OrderRepository>): Orders => {
  const end = (closing: OrderClosing) => (orderId: bigint) => run(closeOrder(orderId, closing))
  const list: Orders["list"] = (query = {}) => run(plainPage(decodeOrderPageRequest, listOrders, query))
  return {
    create: (order) => run(Effect.flatMap(validateNewOrder(order), createOrder)),
    createOnce: (order, key) =>
      run(
        Effect.gen(function* () {
          const valid = yield* validateNewOrder(order)
          return yield* createOrderOnce(valid, yield* claimCall("createOrder", key, [String(valid.petId)]))
        }),
      ),
    complete: end("complete"),
    cancel: end("cancel"),
    get: (orderId) => run(getOrder(orderId)),
    list,
    listAll: (query) => everyItem(list, query),
  }
}

const accountsIn = ({ run }: OpenStore<CredentialRepository | Cryptography>): Accounts => ({
  create: (name) => run(createAccount(name)),
  list: () => run(Effect.flatMap(CredentialRepository, ({ listAccounts }) => listAccounts)),
})

const apiKeysIn = ({ run }: OpenStore<CredentialRepository | Cryptography>): ApiKeys => ({
  create: ({ accountName, deployment, lifetimeMillis, label }) =>
    run(
      createApiKey({
        ...{ accountName, deployment, lifetimeMillis: Option.fromNullable(lifetimeMillis) },
        ...(label !== undefined && { label }),
      }).pipe(Effect.map(({ apiKey, secret }) => ({ apiKey: plainApiKey(apiKey), secret }))),
    ),
  list: () =>
    run(
      Effect.map(
        Effect.flatMap(CredentialRepository, ({ listApiKeys }) => listApiKeys),
        (keys) => keys.map(plainApiKey),
      ),
    ),
  rotate: (keyId, overlapMillis) =>
    run(
      Effect.map(rotateApiKey({ keyId, overlapMillis }), ({ apiKey, secret, former }) => ({
        apiKey: plainApiKey(apiKey),
        secret,
        former: plainApiKey(former),
      })),
    ),
  revoke: (keyId) => run(Effect.map(revokeApiKey(keyId), plainApiKey)),
  authenticate: (secret, deployment) => run(Effect.map(authenticate(secret, deployment), plainApiKey)),
})

const plainApiKey = ({ expiresAt, revokedAt, lastUsedOn, label, ...rest }: DomainApiKey): ApiKey => ({
  ...rest,
  expiresAt: Option.getOrUndefined(expiresAt),
  revokedAt: Option.getOrUndefined(revokedAt),
  lastUsedOn: Option.getOrUndefined(lastUsedOn),
  label: Option.getOrUndefined(label),
})

/** Validates a pet that a program made by hand, which no decoder has seen. `undefined` is how many write an absent member. */
const validateNewPet = ({ name, categoryId, status }: NewPet) =>
  decodeNewPet(status === undefined ? { name, categoryId } : { name, categoryId, status })

const validateNewOrder = ({ petId }: NewOrder) => decodeNewOrder({ petId })
