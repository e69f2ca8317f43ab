/** The memory store as plain functions and promises: every port, as another team without Effect would write it. */
import {
  CategoryRepository,
  ChangeRepository,
  CredentialRepository,
  Cryptography,
  InventoryRepository,
  type OrderRefusal,
  OrderRepository,
  type PetRefusal,
  PetRepository,
  type StorageUnavailable,
} from "@petstore/core"
import type { ApiKey, OrderRefusedFor, PromiseRepositories } from "@petstore/core/promise"
import { Cause, Context, Effect, Exit, Layer, Option, Scope, Stream } from "effect"
import { nodeCryptography } from "../../src/node-cryptography.js"
import type { Repositories } from "../../src/repositories.js"
import { storage } from "../../src/storage.js"

const run = async <A>(effect: Effect.Effect<A, StorageUnavailable>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  return exit.value
}

type DomainKey = Effect.Effect.Success<Context.Tag.Service<CredentialRepository>["listApiKeys"]>[number]

const fromKey = ({ expiresAt, revokedAt, lastUsedOn, label, ...rest }: DomainKey): ApiKey => ({
  ...rest,
  expiresAt: Option.getOrUndefined(expiresAt),
  revokedAt: Option.getOrUndefined(revokedAt),
  lastUsedOn: Option.getOrUndefined(lastUsedOn),
  label: Option.getOrUndefined(label),
})

const toKey = ({ expiresAt, revokedAt, lastUsedOn, label, ...rest }: ApiKey): DomainKey => ({
  ...rest,
  expiresAt: Option.fromNullable(expiresAt),
  revokedAt: Option.fromNullable(revokedAt),
  lastUsedOn: Option.fromNullable(lastUsedOn),
  label: Option.fromNullable(label),
})

const outcomes = { PetNotFound: "not-found", PetChanged: "changed", PetReserved: "reserved" } as const

const changed = (effect: Effect.Effect<void, PetRefusal | StorageUnavailable>) =>
  run(
    effect.pipe(
      Effect.as("done" as const),
      Effect.catchTags({
        PetNotFound: ({ _tag }) => Effect.succeed(outcomes[_tag]),
        PetChanged: ({ _tag }) => Effect.succeed(outcomes[_tag]),
        PetReserved: ({ _tag }) => Effect.succeed(outcomes[_tag]),
      }),
    ),
  )

const refusedFor = (refusal: OrderRefusal): OrderRefusedFor =>
  refusal._tag === "PetNotFound" ? "pet-not-found" : { petStatus: refusal.status }

const portsIn = (store: Context.Context<Repositories>): Omit<Required<PromiseRepositories>, "close"> => {
  const [pets, orders] = [Context.get(store, PetRepository), Context.get(store, OrderRepository)]
  const [inventory, categories] = [Context.get(store, InventoryRepository), Context.get(store, CategoryRepository)]
  const [credentials, changes] = [Context.get(store, CredentialRepository), Context.get(store, ChangeRepository)]
  return {
    pets: {
      insert: (pet, by) => run(pets.insert(pet, by)),
      insertOnce: (pet, claim, by) =>
        run(Effect.catchTag(pets.insertOnce(pet, claim, by), "IdempotencyKeyReused", () => Effect.succeed("reused" as const))),
      insertAll: (batches, by) => run(pets.insertAll(Stream.orDie(Stream.fromAsyncIterable(batches, (thrown) => thrown)), by)),
      replace: (seen, to, by) => changed(pets.replace(seen, to, by)),
      remove: (seen, by) => changed(pets.remove(seen, by)),
      find: async (id) => Option.getOrUndefined(await run(pets.find(id))),
      list: ({ status, after, limit }) =>
        run(pets.list({ status: Option.fromNullable(status), after: Option.fromNullable(after), limit })),
      search: (search) => run(pets.search(search)),
    },
    orders: {
      insert: (order, createdAt, by) =>
        run(
          Effect.catchTags(orders.insert(order, createdAt, by), {
            PetNotFound: (refusal) => Effect.succeed(refusedFor(refusal)),
            PetNotAvailable: (refusal) => Effect.succeed(refusedFor(refusal)),
          }),
        ),
      insertOnce: (order, claim, by) =>
        run(
          Effect.catchTags(orders.insertOnce(order, claim, by), {
            PetNotFound: (refusal) => Effect.succeed(refusedFor(refusal)),
            PetNotAvailable: (refusal) => Effect.succeed(refusedFor(refusal)),
            IdempotencyKeyReused: () => Effect.succeed("reused" as const),
          }),
        ),
      close: (id, closing, closedAt, by) =>
        run(
          Effect.catchTags(orders.close(id, closing, closedAt, by), {
            OrderNotFound: () => Effect.succeed("not-found" as const),
            OrderClosed: ({ status }) => Effect.succeed({ orderStatus: status }),
          }),
        ),
      giveBack: (id, returnedAt, by) =>
        run(
          Effect.catchTags(orders.giveBack(id, returnedAt, by), {
            OrderNotFound: () => Effect.succeed("not-found" as const),
            OrderNotCompleted: ({ status }) => Effect.succeed({ orderStatus: status }),
            SoldPetChanged: ({ petId }) => Effect.succeed({ changedPet: petId }),
          }),
        ),
      setNote: (seen, note, by) => run(orders.setNote(seen, note, by)),
      find: async (id) => Option.getOrUndefined(await run(orders.find(id))),
      list: ({ status, after, ...rest }) =>
        run(orders.list({ ...rest, status: Option.fromNullable(status), after: Option.fromNullable(after) })),
    },
    inventory: { read: () => run(inventory.read), recount: () => run(inventory.recount) },
    categories: {
      replace: (category, former, by) => run(categories.replace(category, Option.fromNullable(former), by)),
      remove: (former, by) => run(categories.remove(former, by)),
      find: async (id) => Option.getOrUndefined(await run(categories.find(id))),
      list: ({ after, limit }) => run(categories.list({ after: Option.fromNullable(after), limit })),
    },
    credentials: {
      insertAccount: (account) =>
        run(
          credentials.insertAccount(account).pipe(
            Effect.as("done" as const),
            Effect.catchTag("AccountNameTaken", () => Effect.succeed("name-taken" as const)),
          ),
        ),
      findAccount: async (name) => Option.getOrUndefined(await run(credentials.findAccount(name))),
      disableAccount: async (name, at) => Option.getOrUndefined(await run(credentials.disableAccount(name, at))),
      enableAccount: async (name) => Option.getOrUndefined(await run(credentials.enableAccount(name))),
      listAccounts: () => run(credentials.listAccounts),
      insertApiKey: (key, hash) => run(credentials.insertApiKey(toKey(key), hash)),
      findApiKey: async (hash) => Option.getOrUndefined(Option.map(await run(credentials.findApiKey(hash)), fromKey)),
      listApiKeys: async () => (await run(credentials.listApiKeys)).map(fromKey),
      revokeApiKey: async (id, at) => Option.getOrUndefined(Option.map(await run(credentials.revokeApiKey(id, at)), fromKey)),
      replaceApiKey: async (former, expiresAt, key, hash) =>
        Option.getOrUndefined(Option.map(await run(credentials.replaceApiKey(former, expiresAt, toKey(key), hash)), fromKey)),
      recordApiKeyUse: (id, day) => run(credentials.recordApiKeyUse(id, day)),
    },
    changes: {
      list: ({ after, ...rest }) =>
        run(
          Effect.catchTag(changes.list({ ...rest, after: Option.fromNullable(after) }), "CursorExpired", () =>
            Effect.succeed("expired" as const),
          ),
        ),
      latest: () => run(changes.latest),
      restorePet: (petId, by) =>
        run(Effect.catchTag(changes.restorePet(petId, by), "PetNotFound", () => Effect.succeed(undefined))),
      removeBefore: (time, limit) => run(changes.removeBefore(time, limit)),
    },
    cryptography: Effect.runSync(Effect.provide(Cryptography, nodeCryptography)),
  }
}

/** Opens a new store. */
export const openMemoryPromises = async (): Promise<Required<PromiseRepositories>> => {
  const scope = Effect.runSync(Scope.make())
  const store = await Effect.runPromise(Layer.buildWithScope(storage("memory:", { migrate: true }), scope))
  return { ...portsIn(store), close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
