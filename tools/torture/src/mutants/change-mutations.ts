/** Deliberate faults in an adapter's corrections and removals. */
import type { Pet, PetId, PetRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import { everyNth, type Mutation } from "./mutations.ts"

type Pets = (typeof PetRepository)["Service"]

/** How long after the acknowledgement the transaction starts, in ms. */
const lateMillis = 60

const later = (work: Effect.Effect<unknown, unknown>): Effect.Effect<void> =>
  Effect.asVoid(Effect.forkDaemon(Effect.ignore(Effect.delay(work, lateMillis))))

/** Sets a pet's values without comparing it first. */
const overwrite = (pets: Pets, to: Pet): Effect.Effect<void, unknown> =>
  Effect.flatMap(
    pets.find(to.id),
    Option.match({ onNone: () => Effect.void, onSome: (found) => pets.replace(found, { ...to, ...statusOf(found) }) }),
  )

const statusOf = ({ status }: Pet): Pick<Pet, "status"> => (status === undefined ? {} : { status })

const loseCorrection = (pets: Pets): Pets => {
  const isTime = everyNth(6)
  return { ...pets, replace: (seen, to) => (isTime() ? Effect.void : pets.replace(seen, to)) }
}

/** Hides pets from every read of this process. */
const hiding = (pets: Pets, hidden: ReadonlySet<PetId>): Pets => {
  const isShown = ({ id }: Pet): boolean => !hidden.has(id)
  return {
    ...pets,
    find: (id) => Effect.map(pets.find(id), Option.filter(isShown)),
    list: (selection) => Effect.map(pets.list(selection), (page) => page.filter(isShown)),
    search: (search) => Effect.map(pets.search(search), (found) => ({ ...found, pets: found.pets.filter(isShown) })),
    // Cached pages would still show them.
    revision: () => Option.none(),
  }
}

/** Removes a pet only in this process. In the next process the pet exists again. */
const resurrectOnRestart = (pets: Pets): Pets => {
  const hidden = new Set<PetId>()
  const isTime = everyNth(3)
  return {
    ...hiding(pets, hidden),
    remove: (seen) => (isTime() ? Effect.sync(() => void hidden.add(seen.id)) : pets.remove(seen)),
  }
}

/** Removes a pet in this process, even while an order holds it. */
const removeReserved = (pets: Pets): Pets => {
  const hidden = new Set<PetId>()
  return {
    ...hiding(pets, hidden),
    remove: (seen) => Effect.catchTag(pets.remove(seen), "PetReserved", () => Effect.sync(() => void hidden.add(seen.id))),
  }
}

export const changeMutations: Readonly<Record<string, Mutation>> = {
  "lose a correction": loseCorrection,
  "acknowledge a correction before commit": (pets) => ({ ...pets, replace: (seen, to) => later(pets.replace(seen, to)) }),
  "correct in part": (pets) => ({ ...pets, replace: (seen, to) => pets.replace(seen, { ...to, categoryId: seen.categoryId }) }),
  "correct twice": (pets) => ({
    ...pets,
    replace: (seen, to) => Effect.zipLeft(pets.replace(seen, to), later(overwrite(pets, to))),
  }),
  "correct what is not as it was seen": (pets) => ({
    ...pets,
    replace: (seen, to) => Effect.catchTag(pets.replace(seen, to), "PetChanged", () => Effect.ignore(overwrite(pets, to))),
  }),
  "resurrect a removed pet on restart": resurrectOnRestart,
  "remove a reserved pet": removeReserved,
  "repeat a create with the pet as it is": (pets) => ({
    ...pets,
    insertOnce: (newPet, claim) =>
      Effect.flatMap(pets.insertOnce(newPet, claim), ({ one, isNew }) =>
        Effect.map(pets.find(one.id), (found) => ({ one: Option.getOrElse(found, () => one), isNew })),
      ),
  }),
}
