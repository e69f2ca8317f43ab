/**
 * The changes in PostgreSQL. The identifiers of a slot's changes are in the order of commits, those of two slots are not: a page
 * merges the slots by time, and a place has a position for each of them.
 */
import {
  type Change,
  type ChangePlace,
  ChangeRepository,
  type ChangeSelection,
  type ChangesFound,
  CursorExpired,
  type Pet,
  type PetId,
  PetNotFound,
  type StorageUnavailable,
} from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type ChangeRow,
  changeOfRow,
  changePlace,
  firstPlace,
  numberIn,
  numberOfOperation,
  tagOf,
  touchedIn,
  touchedText,
} from "../change-rows.js"
import { petOfRow } from "../rows.js"
import { wordsTextOf } from "../words-text.js"
import { decodePlace, type Position, placeOf } from "./change-places.js"
import { type ChangeColumns, readSlots, type SlotSelection } from "./change-slots.js"
import { type OriginOf, recorded, recordedLength, recordedValues } from "./change-writes.js"
import { prepared } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { addTo, keepsInventory } from "./inventory-repository.js"
import { call } from "./spread-changes.js"

const selectActors = `SELECT change_actors.id, change_actors.account_id, key_id, accounts.name, label FROM change_actors
  LEFT JOIN accounts ON accounts.id = change_actors.account_id LEFT JOIN api_keys ON api_keys.id = key_id
  WHERE change_actors.id = ANY ($1::int8[])`

/**
 * Removes the changes $5 of the slots $4. The newest one of each slot $1 is $2, with the tag $3. No writer waits: they lock other rows.
 */
const remove = `WITH removed AS (INSERT INTO removed_changes (slot, last_id, tag)
    SELECT slot, last_id, tag FROM unnest($1::int8[], $2::int8[], $3::text[]) AS old (slot, last_id, tag) ORDER BY slot
    ON CONFLICT (slot) DO UPDATE SET last_id = EXCLUDED.last_id, tag = EXCLUDED.tag WHERE removed_changes.last_id < EXCLUDED.last_id)
  DELETE FROM changes USING unnest($4::int8[], $5::int8[]) AS old (slot, id)
  WHERE changes.slot = old.slot AND changes.id = old.id RETURNING changes.id`
const selectLatest = prepared("latest change", "SELECT sum(last_change)::int8 FROM inventory")

/** The change that removed pet $1. */
const selectRemoval = (
  ofSlot: string,
): string => `SELECT slot, id, before FROM changes WHERE pet_id = $1 ${ofSlot} AND operation = ${numberOfOperation("removePet")}
  ORDER BY pet_id DESC, id DESC LIMIT 1`

/** Inserts pet $1, unless it exists or has a change after the removal $7. */
const restore = `WITH pet AS (
    INSERT INTO pets (id, name, category_id, status, words, slot)
    SELECT $1::int8, $2::text, $3::int8, $4::text, $5::text, $6::int2
    WHERE NOT EXISTS (SELECT 1 FROM changes WHERE pet_id = $1 AND id > $7::int8)
    ON CONFLICT (id) DO NOTHING RETURNING id, slot
  ), ${recorded(8, { operation: "restorePet", source: "pet", before: "NULL", after: `$${8 + recordedLength}::text` })}
  SELECT id FROM pet`

const texts = {
  "one node": { selectRemoval: selectRemoval(""), restore },
  spread: { selectRemoval: selectRemoval("AND slot = change_slot($1)"), restore: call("restore_pet", 10) },
}

const findPet = prepared("find pet", "SELECT id, name, category_id, status FROM pets WHERE id = $1")

/** How often a restore is attempted while other requests restore and remove the pet. */
const attemptsMaximum = 5

const rowTagOf = ([, , , at, operation, , requestId, petId]: Readonly<ChangeColumns>): string =>
  tagOf(at, operation, requestId, petId)

/** The identifier that a change has on every engine. */
const changePlaceOf = ([, , id, at, operation, , requestId, , before, after]: Readonly<ChangeColumns>): ChangePlace =>
  changePlace({ id, at, operation, requestId, before, after })

/** Merges the slots: the next change is the one with the earliest or latest time among the next ones of all slots. */
const merged = (rows: ReadonlyArray<ChangeColumns>, order: "asc" | "desc", limit: number): ReadonlyArray<ChangeColumns> => {
  const sign = order === "asc" ? 1n : -1n
  const queues = [...Map.groupBy(rows, ([, slot]) => slot).values()].map((queue) =>
    queue.toSorted(([, , one], [, , other]) => Number(sign * (one - other))),
  )
  const all: Array<ChangeColumns> = []
  while (all.length < limit) {
    const heads = queues.flatMap((queue) => (queue[0] === undefined ? [] : [{ queue, head: queue[0] }]))
    const [first] = heads.toSorted(({ head: one }, { head: other }) => Number(sign * (one[3] - other[3] || one[1] - other[1])))
    if (first === undefined) break
    all.push(first.head)
    first.queue.shift()
  }
  return all
}

export const postgresChangeRepository = (database: Database, originOf: OriginOf) => {
  const { layout, read, write, coordinator } = database
  const text = texts[layout]
  const rowsIn = readSlots(database)

  /** The changes of rows, with the names of those who made them. */
  const changesOf = (rows: ReadonlyArray<ChangeColumns>): Effect.Effect<ReadonlyArray<Change>, StorageUnavailable> =>
    Effect.gen(function* () {
      const actors = new Set(rows.flatMap(([, , , , , actor]) => (actor === null ? [] : [actor])))
      const found = actors.size === 0 ? [] : yield* coordinator.read(selectActors, [[...actors]])
      const byId = new Map(found.map((row) => [row[0], row]))
      return rows.map((changeRow) => {
        const [, , , at, operation, actor, requestId, , before, after] = changeRow
        // Safe: the statement lists these columns.
        const [, accountId = null, keyId = null, accountName = null, label = null] = (byId.get(actor) ?? []) as readonly [
          bigint?,
          string?,
          string?,
          (string | null)?,
          (string | null)?,
        ]
        const place = changePlaceOf(changeRow)
        const row: ChangeRow = { place, at, operation, requestId, before, after, accountId, keyId, accountName, label }
        return changeOfRow(row)
      })
    })

  const rowsOf = (selection: SlotSelection) =>
    Effect.map(rowsIn(selection), (rows) => {
      const of = (kind: ChangeColumns[0]) => rows.filter((row) => row[0] === kind)
      return { changes: of("change"), places: of("place"), newest: of("newest"), removed: of("removed") }
    })

  /** The position of a change's place in the store from which this one was copied, where changes had one order. */
  const positionOf = (text: ChangePlace): Effect.Effect<Position | undefined, StorageUnavailable> =>
    Effect.gen(function* () {
      const last = numberIn(text)
      if (last === undefined) return undefined
      const all = yield* read("SELECT slot FROM inventory")
      const start = new Map(all.map(([slot]) => [Number(slot), last + 1n]))
      const { changes, removed } = yield* rowsOf({ order: "desc", start, isFirst: false, limit: 1 })
      const isThere = changes.some((row) => row[2] === last && changePlaceOf(row) === text)
      const before = [...removed.filter(([, , id]) => id <= last), ...changes]
      return isThere || text === firstPlace ? new Map(before.map(([, slot, id]) => [Number(slot), id])) : undefined
    })

  const find = ({
    petId,
    order,
    after,
    limit,
  }: ChangeSelection): Effect.Effect<ChangesFound, CursorExpired | StorageUnavailable> =>
    Effect.gen(function* () {
      const isUp = order === "asc"
      const place = Option.getOrUndefined(after)
      const copied = place === undefined ? undefined : yield* positionOf(place)
      const given = copied ?? (place === undefined ? undefined : decodePlace(place)?.position)
      if (given === undefined && place !== undefined) return yield* new CursorExpired()
      const start: Position = given ?? new Map()
      const isFirst = given === undefined
      const { changes, places, newest, removed } = yield* rowsOf({ order, start, isFirst, limit: limit + 1, petId })
      const marks = new Map(removed.map(([, slot, id]) => [Number(slot), id]))
      const tags = new Map(removed.map(([, slot, , , , , , , tag]) => [Number(slot), tag ?? ""]))
      for (const row of places) tags.set(Number(row[1]), rowTagOf(row))
      if (given !== undefined) {
        // The change at a place must be there, or be the newest removed one.
        const isThere = new Set(places.map(([, slot]) => Number(slot)))
        for (const [slot, id] of start) if (!isThere.has(slot) && marks.get(slot) !== id) return yield* new CursorExpired()
        if (copied === undefined && placeOf(start, tags) !== place) return yield* new CursorExpired()
        const ofSlots = petId === undefined ? [...marks.keys()] : changes.slice(0, 1).map(([, slot]) => Number(slot))
        if (isUp && ofSlots.some((slot) => (start.get(slot) ?? 0n) < (marks.get(slot) ?? 0n))) return yield* new CursorExpired()
      }
      const rows = merged(changes, order, limit + 1)
      const shown = rows.slice(0, limit)
      const position = new Map(given === undefined && isUp ? marks : start)
      for (const row of shown) {
        position.set(Number(row[1]), row[2])
        tags.set(Number(row[1]), rowTagOf(row))
      }
      const next = isUp || rows.length > limit ? placeOf(position, tags) : undefined
      const found = { changes: yield* changesOf(shown), next }
      if (isUp || given !== undefined) return found
      for (const row of newest) {
        marks.set(Number(row[1]), row[2])
        tags.set(Number(row[1]), rowTagOf(row))
      }
      return { ...found, end: placeOf(marks, tags) }
    })

  const tryRestore = (
    petId: PetId,
    by: Parameters<OriginOf>[0],
  ): Effect.Effect<Pet | undefined, PetNotFound | StorageUnavailable> =>
    Effect.gen(function* () {
      const [present] = yield* read(findPet, [petId])
      if (present !== undefined) return petOfRow(present)
      // Safe: the statement lists these columns.
      const [removal] = (yield* read(text.selectRemoval, [petId])) as unknown as ReadonlyArray<
        readonly [bigint, bigint, string | null]
      >
      const pet = touchedIn(removal?.[2] ?? null)?.pet
      if (removal === undefined || pet === undefined) return yield* new PetNotFound({ petId })
      const rows = yield* write(text.restore, [
        ...[petId, pet.name, pet.categoryId, pet.status ?? null, wordsTextOf(pet.name)],
        ...(keepsInventory(layout) ? [removal[0], removal[1]] : [removal[1]]),
        ...recordedValues(layout, addTo(new Map(), [pet]), yield* originOf(by)),
        touchedText({ pet }),
      ])
      return rows.length > 0 ? pet : undefined
    })

  return ChangeRepository.of({
    list: find,

    latest: Effect.map(read(selectLatest), ([row]) => String(row?.[0])),

    restorePet: (petId, by) =>
      Effect.gen(function* () {
        for (let count = 0; count < attemptsMaximum; count += 1) {
          const pet = yield* tryRestore(petId, by)
          if (pet !== undefined) return pet
        }
        return yield* new PetNotFound({ petId })
      }),

    removeBefore: (time, limit) =>
      Effect.gen(function* () {
        const { changes } = yield* rowsOf({ order: "asc", start: new Map(), isFirst: true, limit, withoutSides: true })
        const oldest = merged(changes, "asc", limit)
        const kept = oldest.findIndex(([, , , at]) => at >= BigInt(Math.ceil(time.getTime())))
        const old = kept === -1 ? oldest : oldest.slice(0, kept)
        if (old.length === 0) return 0
        const last = [...new Map(old.map((row) => [row[1], row])).values()]
        if (!keepsInventory(layout)) {
          const removals = yield* Effect.forEach(last, (row) => write(call("remove_changes", 3), [row[1], row[2], rowTagOf(row)]))
          return removals.flat().length
        }
        const rows = yield* write(remove, [
          last.map(([, slot]) => slot),
          last.map(([, , id]) => id),
          last.map(rowTagOf),
          old.map(([, slot]) => slot),
          old.map(([, , id]) => id),
        ])
        return rows.length
      }),
  })
}
