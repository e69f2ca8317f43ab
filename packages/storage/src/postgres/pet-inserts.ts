/** Group insert: create requests that arrive during a statement share the next statement. See `batch-queue.ts`. */
import { type Actor, type Pet, type PetId, StorageUnavailable, type ValidNewPet } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import { batchQueue } from "../batch-queue.js"
import { numberOfOperation } from "../change-rows.js"
import { petColumns, petOf } from "../rows.js"
import { wordsTextOf } from "../words-text.js"
import { call } from "./change-statements.js"
import { changeColumns, type Origin, type OriginOf, petJson, sideOf } from "./change-writes.js"
import { type BoundStatement, prepared, type Rows } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { isFaultOfRow, losesConnection, toFailure } from "./engine/errors.js"
import type { Layout } from "./engine/layout.js"
import { addTo, countIn, countValues, nextSlot, slots } from "./inventory-repository.js"

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

/** A pet to insert, and who makes it. */
export interface GivenPet {
  readonly pet: ValidNewPet
  readonly origin: Origin
}

/**
 * Inserts pets, counts them and stores their changes in the given order. Each column is an array, so that one prepared text serves
 * any number of pets. Their identifiers come first, because only so a pet and its change can be told from those of equal pets.
 */
const insertRecordedText = prepared(
  "create",
  `WITH new AS (SELECT nextval((SELECT pg_get_serial_sequence('pets', 'id')::regclass)) AS id, given.* FROM
    unnest($1::text[], $2::int8[], $3::text[], $4::text[], $5::int8[], $6::text[])
    WITH ORDINALITY AS given (name, category_id, status, words, actor, request_id, place)),
  pet AS (INSERT INTO pets (id, name, category_id, status, words, slot)
    SELECT id, name, category_id, status, words, $7::int2 FROM new),
  counted AS (${countIn("WHERE slot = $7::int2", 9)})
  INSERT INTO changes (${changeColumns})
  SELECT $7::int2, counted.last_change - ${slots} * ($13::int8 - place), $8::int8, ${numberOfOperation("createPet")},
    actor, request_id, new.id, NULL, ${sideOf({ pet: petJson("new") })}
  FROM new, counted RETURNING id, pet_id`,
)

const columnsOf = (given: ReadonlyArray<GivenPet>): ReadonlyArray<unknown> => [
  given.map(({ pet }) => pet.name),
  given.map(({ pet }) => pet.categoryId),
  given.map(({ pet }) => pet.status ?? null),
  given.map(({ pet }) => wordsTextOf(pet.name)),
  given.map(({ origin }) => origin[1]),
  given.map(({ origin }) => origin[2]),
]

const inserts: Record<Layout, (given: ReadonlyArray<GivenPet>) => BoundStatement> = {
  "one node": (given) => {
    const counts = countValues(
      addTo(
        new Map(),
        given.map(({ pet }) => pet),
      ),
      given.length,
    )
    return [insertRecordedText, [...columnsOf(given), nextSlot(), given[0]?.origin[0], ...counts]]
  },
  spread: (given) => [call("create_pets", 7, "place, id"), [...columnsOf(given), given[0]?.origin[0]]],
}

const insertTexts = new Map<number, string>()

/** Returns the statement that inserts a number of pets. From `VALUES`, a distributed engine can determine each row's node. */
const insertText = (pets: number): string => {
  const known = insertTexts.get(pets)
  if (known !== undefined) return known
  const row = (_: unknown, index: number): string => `(${[1, 2, 3, 4, 5].map((place) => `$${5 * index + place}`).join(", ")})`
  const rows = Array.from({ length: pets }, row).join()
  const text = `INSERT INTO pets (name, category_id, status, words, slot) VALUES ${rows} RETURNING ${petColumns}`
  insertTexts.set(pets, text)
  return text
}

/** Inserts pets without counting them and without changes: an import does both at its end. */
export const insertPets = (
  pets: ReadonlyArray<ValidNewPet>,
  slot = 0,
): readonly [text: string, values: ReadonlyArray<unknown>] => [
  insertText(pets.length),
  pets.flatMap(({ name, categoryId, status }) => [name, categoryId, status ?? null, wordsTextOf(name), slot]),
]

type Kept = Exit.Exit<Pet, StorageUnavailable>
export type InsertPet = (pet: ValidNewPet, by?: Actor) => Effect.Effect<Pet, StorageUnavailable>

/** Returns the function that inserts a pet. `onInsert` receives each group's size. Closing the scope waits for pending pets. */
export const groupInsert = Effect.fnUntraced(function* (
  { attempt, layout }: Database,
  originOf: OriginOf,
  onInsert?: (pets: number) => void,
) {
  const run = Runtime.runPromiseExit(yield* Effect.runtime())
  let aloneUntilMillis = 0

  const isAlone = (): boolean => performance.now() < aloneUntilMillis

  /** Inserts pets, and returns their results in the same order. */
  const keep = (given: ReadonlyArray<GivenPet>, arrivedAtMillis: number): Effect.Effect<ReadonlyArray<Kept>> =>
    attempt("insert", ...inserts[layout](given), arrivedAtMillis).pipe(
      Effect.map((rows) => inOrder(given, rows)),
      Effect.catchAll((failure) => {
        if (losesConnection(failure.cause)) aloneUntilMillis = performance.now() + aloneMillis
        if (!isFaultOfRow(failure) || given.length === 1) {
          return Effect.map(Effect.exit(toFailure(failure)), (exit) => given.map(() => exit))
        }
        // The statement was rolled back, so each pet is retried individually. A refused pet then does not affect the other pets.
        const alone = Effect.forEach(given, (one) => keep([one], arrivedAtMillis))
        return Effect.map(alone, (kept) => kept.flat())
      }),
    )

  const { submit, isClosed, close } = batchQueue<GivenPet, Kept>({
    carryOut: async (batch) => {
      const arrivedAtMillis = batch[0]?.arrivedAtMillis ?? performance.now()
      const given = batch.map(({ request }) => request)
      const exit = await run(keep(given, arrivedAtMillis))
      onInsert?.(batch.length)
      return given.map((_, index) => Exit.flatMap(exit, (kept) => kept[index] ?? lost))
    },
    failed: Exit.die,
    maximum: waitingMaximum,
    batchMaximum: () => (isAlone() ? 1 : groupMaximum),
    batchesAtOnce: () => (isAlone() ? aloneAtOnce : groupsAtOnce),
  })

  yield* Effect.addFinalizer(() => Effect.promise(close))

  return (pet: ValidNewPet, by?: Actor) =>
    Effect.flatMap(originOf(by), (origin) =>
      Effect.async<Pet, StorageUnavailable>((resume) => {
        if (submit({ pet, origin }, resume)) return
        const reason = isClosed() ? "the store is closed" : `${waitingMaximum} pets are already waiting for the store`
        resume(new StorageUnavailable({ cause: new Error(reason), isUndone: true }))
      }),
    )
})

const lost: Kept = Exit.die(new Error("The store returned no identifier for a pet"))

/** Assigns identifiers by the order of their changes, because SQL returns rows in any order. */
const inOrder = (given: ReadonlyArray<GivenPet>, rows: Rows): ReadonlyArray<Kept> => {
  // Safe: the statements return a number that grows with the place of the pet and the pet's identifier, and `int8` is a `bigint`.
  const made = (rows as ReadonlyArray<readonly [place: bigint, pet: PetId]>).toSorted(([one], [other]) => Number(one - other))
  return given.map(({ pet }, index) => {
    const row = made[index]
    return row === undefined ? lost : Exit.succeed(petOf(row[1], pet))
  })
}
