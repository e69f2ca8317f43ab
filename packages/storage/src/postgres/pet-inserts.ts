/** Group insert: create requests that arrive during a statement share the next statement. See `batch-queue.ts`. */
import { type Pet, type PetId, StorageUnavailable, type ValidNewPet } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import { batchQueue } from "../batch-queue.js"
import { petColumns, petOf } from "../rows.js"
import { wordsTextOf } from "../words-text.js"
import { type BoundStatement, prepared, type Rows } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { isFaultOfRow, losesConnection, toFailure } from "./engine/errors.js"
import { addTo, countTally, countValues, keepsInventory } from "./inventory-repository.js"

/** The maximum number of pets in a statement. */
const groupMaximum = 256

/** The number of concurrent groups. While one group commits, the next can be sent. */
const groupsAtOnce = 2

/** How long pets are sent singly after a node was down, in ms, and how many at once. A group needs every node, a pet only one. */
const aloneMillis = 1_000
const aloneAtOnce = 6

/** The maximum number of pending pets. Further pets are refused immediately. */
const waitingMaximum = 4_096

/** The maximum number of pets in an import statement. The protocol counts parameters with 16 bits. */
export const statementMaximum = 1_000

/** Inserts pets, counts them, and returns them. Each column is an array, so that one prepared text serves any number of pets. */
const insertCountedText = prepared(
  "create",
  `WITH counted AS (${countTally(5)}) INSERT INTO pets (name, category_id, status, words)
  SELECT name, category_id, status, words
  FROM unnest($1::text[], $2::int8[], $3::text[], $4::text[]) AS new (name, category_id, status, words) RETURNING ${petColumns}`,
)

const insertCounted = (pets: ReadonlyArray<ValidNewPet>): BoundStatement => [
  insertCountedText,
  [
    pets.map(({ name }) => name),
    pets.map(({ categoryId }) => categoryId),
    pets.map(({ status }) => status ?? null),
    pets.map(({ name }) => wordsTextOf(name)),
    ...countValues(addTo(new Map(), pets)),
  ],
]

const insertTexts = new Map<number, string>()

/** Returns the statement that inserts a number of pets. From `VALUES`, a distributed engine can determine each row's node. */
const insertText = (pets: number): string => {
  const known = insertTexts.get(pets)
  if (known !== undefined) return known
  const row = (_: unknown, index: number): string => `(${[1, 2, 3, 4].map((place) => `$${4 * index + place}`).join(", ")})`
  const rows = Array.from({ length: pets }, row).join()
  const text = `INSERT INTO pets (name, category_id, status, words) VALUES ${rows} RETURNING ${petColumns}`
  insertTexts.set(pets, text)
  return text
}

/** Inserts pets without counting them: an import updates the counts at its end, and a distributed store has no counts. */
export const insertPets = (pets: ReadonlyArray<ValidNewPet>): readonly [text: string, values: ReadonlyArray<unknown>] => [
  insertText(pets.length),
  pets.flatMap(({ name, categoryId, status }) => [name, categoryId, status ?? null, wordsTextOf(name)]),
]

type Kept = Exit.Exit<Pet, StorageUnavailable>
export type InsertPet = (pet: ValidNewPet) => Effect.Effect<Pet, StorageUnavailable>

/** Returns the function that inserts a pet. `onInsert` receives each group's size. Closing the scope waits for pending pets. */
export const groupInsert = Effect.fnUntraced(function* ({ attempt, layout }: Database, onInsert?: (pets: number) => void) {
  const run = Runtime.runPromiseExit(yield* Effect.runtime())
  const insert: (pets: ReadonlyArray<ValidNewPet>) => BoundStatement = keepsInventory(layout) ? insertCounted : insertPets
  let aloneUntilMillis = 0

  const isAlone = (): boolean => performance.now() < aloneUntilMillis

  /** Inserts pets, and returns their results in the same order. */
  const keep = (pets: ReadonlyArray<ValidNewPet>, arrivedAtMillis: number): Effect.Effect<ReadonlyArray<Kept>> =>
    attempt("insert", ...insert(pets), arrivedAtMillis).pipe(
      Effect.map((rows) => assign(pets, rows)),
      Effect.catchAll((failure) => {
        if (losesConnection(failure.cause)) aloneUntilMillis = performance.now() + aloneMillis
        if (!isFaultOfRow(failure) || pets.length === 1) {
          return Effect.map(Effect.exit(toFailure(failure)), (exit) => pets.map(() => exit))
        }
        // The statement was rolled back, so each pet is retried individually. A refused pet then does not affect the other pets.
        const alone = Effect.forEach(pets, (pet) => keep([pet], arrivedAtMillis))
        return Effect.map(alone, (kept) => kept.flat())
      }),
    )

  const { submit, isClosed, close } = batchQueue<ValidNewPet, Kept>({
    carryOut: async (batch) => {
      const arrivedAtMillis = batch[0]?.arrivedAtMillis ?? performance.now()
      const pets = batch.map(({ request }) => request)
      const exit = await run(keep(pets, arrivedAtMillis))
      onInsert?.(batch.length)
      return pets.map((_, index) => Exit.flatMap(exit, (kept) => kept[index] ?? lost))
    },
    failed: Exit.die,
    maximum: waitingMaximum,
    batchMaximum: () => (isAlone() ? 1 : groupMaximum),
    batchesAtOnce: () => (isAlone() ? aloneAtOnce : groupsAtOnce),
  })

  yield* Effect.addFinalizer(() => Effect.promise(close))

  return (pet: ValidNewPet) =>
    Effect.async<Pet, StorageUnavailable>((resume) => {
      if (submit(pet, resume)) return
      const reason = isClosed() ? "the store is closed" : `${waitingMaximum} pets are already waiting for the store`
      resume(new StorageUnavailable({ cause: new Error(reason), isUndone: true }))
    })
})

const lost: Kept = Exit.die(new Error("The store returned no identifier for a pet"))

/** Two pets with the same content are interchangeable. */
const contentOf = (name: unknown, categoryId: unknown, status: unknown): string => `${status ?? ""} ${categoryId} ${name}`

/** Assigns identifiers by content, because SQL returns rows in any order. Of equal pets, the first gets the first identifier. */
const assign = (pets: ReadonlyArray<ValidNewPet>, rows: Rows): ReadonlyArray<Kept> => {
  const rowsByContent = Map.groupBy(rows, ([, name, categoryId, status]) => contentOf(name, categoryId, status))
  return pets.map((pet) => {
    const row = rowsByContent.get(contentOf(pet.name, pet.categoryId, pet.status))?.shift()
    // Safe: the statement returns the identifier first, and `int8` is read as `bigint`.
    return row === undefined ? lost : Exit.succeed(petOf(row[0] as PetId, pet))
  })
}
