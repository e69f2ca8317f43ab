/** Deliberate faults in any adapter. */
import { type Pet, PetId, type PetRepository, type ValidNewPet } from "@petstore/core"
import { Effect, Option } from "effect"

type Pets = (typeof PetRepository)["Service"]

const petOf = (id: bigint, newPet: ValidNewPet): Pet => ({ ...newPet, id: PetId.make(id) })

/** Returns true for every n-th call. */
export const everyNth = (n: number): (() => boolean) => {
  let calls = 0
  return () => {
    calls += 1
    return calls % n === 0
  }
}

const asNew = <E>(made: Effect.Effect<Pet, E>) => Effect.map(made, (one) => ({ one, isNew: true }))

/** How long after the early acknowledgement of a pet its transaction starts, in ms. */
const lateMillis = 40

/** Returns a predicted identifier, and writes the pet later. */
const acknowledgeBeforeCommit = (pets: Pets): Pets => {
  const inTurn = Effect.unsafeMakeSemaphore(1).withPermits(1)
  let last: bigint | undefined
  let honestWrites = 0

  const honestly = <A, E>(write: Effect.Effect<A, E>, petIn: (made: A) => Pet): Effect.Effect<A, E> =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        honestWrites += 1
      }),
      () =>
        Effect.tap(inTurn(write), (made) =>
          Effect.sync(() => {
            const { id } = petIn(made)
            last = last === undefined || id > last ? id : last
          }),
        ),
      () =>
        Effect.sync(() => {
          honestWrites -= 1
        }),
    )

  return {
    ...pets,
    insertOnce: (newPet, claim) => honestly(pets.insertOnce(newPet, claim), ({ one }) => one),
    insert: (newPet) =>
      Effect.suspend(() => {
        if (last === undefined || honestWrites > 0) return honestly(pets.insert(newPet), (pet) => pet)
        last += 1n
        const earliest = performance.now() + lateMillis
        const late = Effect.suspend(() => Effect.delay(pets.insert(newPet), Math.max(0, earliest - performance.now())))
        return Effect.as(Effect.forkDaemon(Effect.ignore(inTurn(late))), petOf(last, newPet))
      }),
  }
}

/** The identifiers of all pets. */
const everyId = (pets: Pets, after: Option.Option<PetId>): Effect.Effect<ReadonlyArray<PetId>, unknown> =>
  Effect.flatMap(pets.list({ status: Option.none(), after, limit: 1000 }), (page) => {
    const last = page.at(-1)
    const ids = page.map(({ id }) => id)
    return last === undefined ? Effect.succeed(ids) : Effect.map(everyId(pets, Option.some(last.id)), (more) => [...ids, ...more])
  })

/** Starts the store without one of its former pets. */
const dropRowOnRestart = (pets: Pets): Effect.Effect<Pets> =>
  Effect.map(
    Effect.orElseSucceed(everyId(pets, Option.none()), () => []),
    (ids) => {
      const dropped = ids[Math.floor(ids.length / 2)]
      return {
        ...pets,
        find: (id) => (id === dropped ? Effect.succeed(Option.none()) : pets.find(id)),
        list: (selection) => Effect.map(pets.list(selection), (page) => page.filter(({ id }) => id !== dropped)),
      }
    },
  )

const giveIdTwice = (pets: Pets): Pets => {
  const isTime = everyNth(8)
  let previous: Pet | undefined
  return {
    ...pets,
    insert: (newPet) =>
      previous !== undefined && isTime()
        ? Effect.succeed(petOf(previous.id, newPet))
        : Effect.tap(pets.insert(newPet), (pet) => Effect.sync(() => (previous = pet))),
  }
}

const loseIdempotencyRow = (pets: Pets): Pets => {
  const isTime = everyNth(5)
  return { ...pets, insertOnce: (newPet, claim) => (isTime() ? asNew(pets.insert(newPet)) : pets.insertOnce(newPet, claim)) }
}

/** Treats a failed write as successful. */
const hideFailure = (pets: Pets): Pets => {
  let invented = 10n ** 15n
  const invent = (newPet: ValidNewPet) => () => {
    invented += 1n
    return Effect.succeed(petOf(invented, newPet))
  }
  return {
    ...pets,
    insert: (newPet) => Effect.catchTag(pets.insert(newPet), "StorageUnavailable", invent(newPet)),
    insertOnce: (newPet, claim) =>
      Effect.catchTag(pets.insertOnce(newPet, claim), "StorageUnavailable", () => asNew(invent(newPet)())),
  }
}

/** Repeats a write that may already have happened. */
const writeTwice = (pets: Pets): Pets => {
  const isTime = everyNth(15)
  return {
    ...pets,
    insert: (newPet) => (isTime() ? Effect.zipRight(pets.insert(newPet), pets.insert(newPet)) : pets.insert(newPet)),
  }
}

const altering =
  (alter: (pet: Pet) => Pet) =>
  (pets: Pets): Pets => ({
    ...pets,
    find: (id) => Effect.map(pets.find(id), Option.map(alter)),
    list: (selection) => Effect.map(pets.list(selection), (page) => page.map(alter)),
  })

/** Starts a page one item too late or too early. */
const shiftingPages =
  (places: bigint) =>
  (pets: Pets): Pets => ({
    ...pets,
    list: ({ after, ...selection }) => pets.list({ ...selection, after: Option.map(after, (id) => PetId.make(id + places)) }),
  })

/** Turns a working adapter into a broken one. */
export type Mutation = (pets: Pets) => Pets | Effect.Effect<Pets>

export const mutations: Readonly<Record<string, Mutation>> = {
  "acknowledge before commit": acknowledgeBeforeCommit,
  "drop a row on restart": dropRowOnRestart,
  "give an id twice": giveIdTwice,
  "lose an idempotency row": loseIdempotencyRow,
  "write twice": writeTwice,
  "hide a failure of the store": hideFailure,
  "round a category": altering((pet) => ({ ...pet, categoryId: BigInt(Number(pet.categoryId)) })),
  "normalise a name": altering((pet) => ({ ...pet, name: pet.name.normalize("NFC") })),
  "invent a status": altering((pet) => ({ status: "available", ...pet })),
  "skip a pet between pages": shiftingPages(1n),
  "repeat a pet between pages": shiftingPages(-1n),
}
