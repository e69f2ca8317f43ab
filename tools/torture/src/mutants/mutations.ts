/** Deliberate bugs that the kit can put into any adapter. */
import { type Actor, type Order, type OrderId, orderClosings, type Pet, PetId, type ValidNewPet } from "@petstore/core"
import { Effect, Option } from "effect"
import { asNew, type Broken, everyNth, everyRow, later, predicting, type Store, showing } from "./breaking.ts"

/** Breaks working repositories, in some cases only after reading their rows. */
type Mutation = (store: Store) => Broken | Effect.Effect<Broken>

const petOf = (id: bigint, newPet: ValidNewPet): Pet => ({ ...newPet, id: PetId.make(id) })

// Safe: every 64-bit integer can identify an order.
const placedOrder = (id: bigint, petId: PetId, createdAt: Date): Order => ({
  id,
  petId,
  status: "placed",
  createdAt,
  updatedAt: createdAt,
})

/** How long after an early acknowledgement the transaction starts, in ms. */
const late = { create: 40, change: 60, order: 150 } as const

const altering =
  (alter: (pet: Pet) => Pet): Mutation =>
  ({ pets }) => ({ pets: showing(pets, alter) })

const shiftingPages =
  (places: bigint): Mutation =>
  ({ pets }) => ({
    pets: {
      list: ({ after, ...selection }) => pets.list({ ...selection, after: Option.map(after, (id) => PetId.make(id + places)) }),
    },
  })

/** Sets a pet's values without comparing it first. */
const overwrite = (pets: Store["pets"], { status: _, ...to }: Pet, by?: Actor): Effect.Effect<void, unknown> =>
  Effect.flatMap(
    pets.find(to.id),
    Option.match({ onNone: () => Effect.void, onSome: (found) => pets.replace(found, { ...found, ...to }, by) }),
  )

/** Removes pets only in this process, by hiding them from every read. In the next process they exist again. */
const hidingRemoved =
  (removing: (remove: Store["pets"]["remove"], hide: (pet: Pet) => Effect.Effect<void>) => Store["pets"]["remove"]): Mutation =>
  ({ pets }) => {
    const hidden = new Set<PetId>()
    const isShown = ({ id }: Pet): boolean => !hidden.has(id)
    return {
      pets: {
        ...showing(pets, (pet) => (isShown(pet) ? pet : undefined)),
        search: (search) => Effect.map(pets.search(search), (found) => ({ ...found, pets: found.pets.filter(isShown) })),
        remove: removing(pets.remove, ({ id }) => Effect.sync(() => void hidden.add(id))),
      },
    }
  }

const everyNthWrite =
  (n: number, broken: (pets: Store["pets"], isTime: () => boolean) => Partial<Store["pets"]>): Mutation =>
  ({ pets }) => ({ pets: broken(pets, everyNth(n)) })

const inPets =
  (broken: (pets: Store["pets"]) => Partial<Store["pets"]>): Mutation =>
  ({ pets }) => ({ pets: broken(pets) })

export const mutations: Readonly<Record<string, Mutation>> = {
  "acknowledge before commit": inPets((pets) => {
    const { honestly, early } = predicting(late.create)
    return {
      insertOnce: (newPet, claim, by) => honestly(pets.insertOnce(newPet, claim, by), ({ value }) => value.id),
      insert: (newPet, by) => early(pets.insert(newPet, by), (id) => petOf(id, newPet)),
    }
  }),
  "drop a row on restart": ({ pets }) =>
    Effect.map(
      everyRow((after: Option.Option<PetId>) => pets.list({ status: Option.none(), after, limit: 1000 })),
      (all) => {
        const dropped = all[Math.floor(all.length / 2)]?.id
        return { pets: showing(pets, (pet) => (pet.id === dropped ? undefined : pet)) }
      },
    ),
  "hide a change from the feed": ({ changes }) => {
    const isTime = everyNth(40)
    const hidden = new Set<string>()
    return {
      changes: {
        list: (selection) =>
          Effect.map(changes.list(selection), (found) => {
            for (const { id } of found.changes) if (isTime()) hidden.add(id)
            return { ...found, changes: found.changes.filter(({ id }) => !hidden.has(id)) }
          }),
      },
    }
  },
  "record a wrong former name": ({ changes }) => ({
    changes: {
      list: (selection) =>
        Effect.map(changes.list(selection), (found) => ({
          ...found,
          changes: found.changes.map((change) =>
            change.operation === "correctPet" && change.before?.pet !== undefined
              ? { ...change, before: { pet: { ...change.before.pet, name: "other" } } }
              : change,
          ),
        })),
    },
  }),
  "give an id twice": ({ pets }) => {
    const isTime = everyNth(8)
    let previous: Pet | undefined
    const insert: Store["pets"]["insert"] = (newPet, by) =>
      previous !== undefined && isTime()
        ? Effect.succeed(petOf(previous.id, newPet))
        : Effect.tap(pets.insert(newPet, by), (pet) => {
            previous = pet
          })
    return { pets: { insert } }
  },
  "lose an idempotency row": everyNthWrite(5, (pets, isTime) => ({
    insertOnce: (newPet, claim, by) => (isTime() ? asNew(pets.insert(newPet, by)) : pets.insertOnce(newPet, claim, by)),
  })),
  "write twice": everyNthWrite(15, ({ insert }, isTime) => ({
    insert: (newPet, by) => (isTime() ? Effect.zipRight(insert(newPet, by), insert(newPet, by)) : insert(newPet, by)),
  })),
  "hide a failure of the store": ({ pets }) => {
    let invented = 10n ** 15n
    const invent = (newPet: ValidNewPet) => Effect.sync(() => petOf(++invented, newPet))
    const insert: Store["pets"]["insert"] = (newPet, by) =>
      Effect.catchTag(pets.insert(newPet, by), "StorageUnavailable", () => invent(newPet))
    const insertOnce: Store["pets"]["insertOnce"] = (newPet, claim, by) =>
      Effect.catchTag(pets.insertOnce(newPet, claim, by), "StorageUnavailable", () => asNew(invent(newPet)))
    return { pets: { insert, insertOnce } }
  },
  "round a category": altering((pet) => ({ ...pet, categoryId: BigInt(Number(pet.categoryId)) })),
  "normalise a name": altering((pet) => ({ ...pet, name: pet.name.normalize("NFC") })),
  "invent a status": altering((pet) => ({ status: "available", ...pet })),
  "skip a pet between pages": shiftingPages(1n),
  "repeat a pet between pages": shiftingPages(-1n),
  "lose a correction": everyNthWrite(6, ({ replace }, isTime) => ({
    replace: (seen, to, by) => (isTime() ? Effect.void : replace(seen, to, by)),
  })),
  "acknowledge a correction before commit": inPets(({ replace }) => ({
    replace: (seen, to, by) => later(replace(seen, to, by), late.change),
  })),
  "correct in part": inPets(({ replace }) => ({
    replace: (seen, to, by) => replace(seen, { ...to, categoryId: seen.categoryId }, by),
  })),
  "correct twice": inPets((pets) => ({
    replace: (seen, to, by) => Effect.zipLeft(pets.replace(seen, to, by), later(overwrite(pets, to, by), late.change)),
  })),
  "correct a pet that changed after it was read": inPets((pets) => ({
    replace: (seen, to, by) =>
      Effect.catchTag(pets.replace(seen, to, by), "PetChanged", () => Effect.ignore(overwrite(pets, to, by))),
  })),
  "resurrect a removed pet on restart": hidingRemoved((remove, hide) => {
    const isTime = everyNth(3)
    return (seen, by) => (isTime() ? hide(seen) : remove(seen, by))
  }),
  // Removes a pet even while an order holds it.
  "remove a reserved pet": hidingRemoved(
    (remove, hide) => (seen, by) => Effect.catchTag(remove(seen, by), "PetReserved", () => hide(seen)),
  ),
  "repeat a create with the pet's current values": inPets((pets) => ({
    insertOnce: (newPet, claim, by) =>
      Effect.flatMap(pets.insertOnce(newPet, claim, by), ({ value, isNew }) =>
        Effect.map(pets.find(value.id), (found) => ({ value: Option.getOrElse(found, () => value), isNew })),
      ),
  })),
  "acknowledge an order before commit": ({ orders, pets }) => {
    const { honestly, early } = predicting(late.order)
    return {
      orders: {
        insert: ({ petId }, createdAt, by) =>
          Effect.flatMap(pets.find(petId), (pet) => {
            const write = orders.insert({ petId }, createdAt, by)
            if (Option.getOrUndefined(pet)?.status !== "available") return honestly(write, ({ id }) => id)
            return early(write, (id) => placedOrder(id, petId, createdAt))
          }),
      },
    }
  },
  // Checks the order first, and writes the change later.
  "acknowledge the end of an order before commit": ({ orders }) => ({
    orders: {
      close: (id, closing, closedAt, by) =>
        Effect.flatMap(orders.find(id), (found) => {
          const order = Option.getOrUndefined(found)
          if (order?.status !== "placed") return orders.close(id, closing, closedAt, by)
          const ended: Order = { ...order, status: orderClosings[closing].status, updatedAt: closedAt }
          return Effect.as(later(orders.close(id, closing, closedAt, by), late.order), ended)
        }),
    },
  }),
  // Orders a pet if it was available a moment ago. A client that ordered the pet in the meantime loses its order.
  "order by read-then-write": ({ orders, pets }) => {
    const placed = everyRow((after: Option.Option<OrderId>) => orders.list({ status: Option.some("placed"), after, limit: 1000 }))
    const insert: Store["orders"]["insert"] = ({ petId }, createdAt, by) =>
      Effect.flatMap(Effect.zipLeft(pets.find(petId), Effect.sleep(5)), (pet) =>
        Effect.catchTag(orders.insert({ petId }, createdAt, by), "PetNotAvailable", (refusal) => {
          if (Option.getOrUndefined(pet)?.status !== "available") return Effect.fail(refusal)
          return Effect.flatMap(placed, (all) => {
            const holder = all.find((order) => order.petId === petId)
            if (holder === undefined) return Effect.fail(refusal)
            return Effect.zipRight(
              Effect.ignore(orders.close(holder.id, "cancel", createdAt, by)),
              orders.insert({ petId }, createdAt, by),
            )
          })
        }),
      )
    return { orders: { insert } }
  },
  "lose the idempotency row of an order": ({ orders }) => {
    const isTime = everyNth(3)
    const insertOnce: Store["orders"]["insertOnce"] = (order, claim, by) =>
      isTime() ? asNew(orders.insert(order, claim.claimedAt, by)) : orders.insertOnce(order, claim, by)
    return { orders: { insertOnce } }
  },
  // Drops every 7th order right after its acknowledgement.
  "drop an order": ({ orders }) => ({ orders: showing(orders, (order) => (order.id % 7n === 0n ? undefined : order)) }),
}
