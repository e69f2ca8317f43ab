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
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { changeOfRow, changePlace, firstPlace, numberIn, numberOfOperation, type StoredActor, touchedIn } from "../change-rows.js"
import { petOfRow } from "../rows.js"
import { wordsTextOf } from "../words-text.js"
import { decodePlace, type Position, placeOf } from "./change-places.js"
import { type ChangeColumns, marksOf, readSlots } from "./change-slots.js"
import { call, rowChanger } from "./change-statements.js"
import type { OriginOf } from "./change-writes.js"
import { prepared } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import type { Layout } from "./engine/layout.js"

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
const selectRemoval = (layout: Layout): string => `SELECT slot, id, before FROM changes
  WHERE pet_id = $1 ${layout === "one node" ? "" : "AND slot = change_slot($1)"} AND operation = ${numberOfOperation("removePet")}
  ORDER BY pet_id DESC, id DESC LIMIT 1`

const findPet = prepared("find pet", "SELECT id, name, category_id, status FROM pets WHERE id = $1")

const unknownActor: StoredActor = [null, null, null, null]

/** How often a restore is attempted while other requests restore and remove the pet. */
const attemptsMaximum = 5

/** Merges the slots: the next change is the one with the earliest or latest time among the next ones of all slots. */
const merged = (rows: ReadonlyArray<ChangeColumns>, order: "asc" | "desc", limit: number): ReadonlyArray<ChangeColumns> => {
  const sign = order === "asc" ? 1n : -1n
  const queues = [...Map.groupBy(rows, ([, , , , , , slot]) => slot).values()].map((queue) =>
    queue.toSorted(([one], [other]) => Number(sign * (one - other))),
  )
  const all: Array<ChangeColumns> = []
  while (all.length < limit) {
    const heads = queues.flatMap((queue) => (queue[0] === undefined ? [] : [{ queue, head: queue[0] }]))
    const [first] = heads.toSorted(({ head: one }, { head: other }) => Number(sign * (one[1] - other[1] || one[6] - other[6])))
    if (first === undefined) break
    all.push(first.head)
    first.queue.shift()
  }
  return all
}

export const postgresChangeRepository = (database: Database, originOf: OriginOf) => {
  const { layout, read, write, coordinator } = database
  const changeRow = rowChanger(database, originOf)
  const rowsOf = readSlots(layout, read, coordinator.read)

  /** The changes of rows, with the names of those who made them. */
  const changesOf = (rows: ReadonlyArray<ChangeColumns>): Effect.Effect<ReadonlyArray<Change>, StorageUnavailable> =>
    Effect.gen(function* () {
      const actors = new Set(rows.flatMap(([, , , , , , , , actor]) => (actor === null ? [] : [actor])))
      const found = actors.size === 0 ? [] : yield* coordinator.read(selectActors, [[...actors]])
      // Safe: the statement lists these columns.
      const byId = new Map((found as unknown as ReadonlyArray<readonly [bigint, ...StoredActor]>).map(([id, ...by]) => [id, by]))
      return rows.map(([id, at, operation, requestId, before, after, , , actor]) =>
        changeOfRow([id, at, operation, requestId, before, after, ...(byId.get(actor ?? 0n) ?? unknownActor)]),
      )
    })

  /** The position of a change's place in the store from which this one was copied, where changes had one order. */
  const positionOf = (text: ChangePlace): Effect.Effect<Position | undefined, StorageUnavailable> =>
    Effect.gen(function* () {
      const last = numberIn(text)
      if (last === undefined) return undefined
      const { changes, removed } = yield* rowsOf({ order: "desc", start: last + 1n, limit: 1 })
      const isThere = changes.some((row) => changePlace(row) === text)
      const before = [...removed.filter(([id]) => id <= last), ...changes]
      return isThere || text === firstPlace ? new Map(before.map(([id, , , , , , slot]) => [Number(slot), id])) : undefined
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
      const isFirst = place === undefined
      const copied = isFirst ? undefined : yield* positionOf(place)
      const start = copied ?? (isFirst ? new Map() : decodePlace(place))
      if (start === undefined) return yield* new CursorExpired()
      // Before the others, so that each change that follows is in the list or behind this end.
      const newest = isFirst && !isUp ? yield* rowsOf({ order, limit: 1 }) : undefined
      const { changes, places, removed } = yield* rowsOf({ order, start, limit: limit + 1, petId })
      const oldest = marksOf(removed)
      const kept = new Map([...oldest, ...marksOf(places)])
      const given = new Map([...kept].filter(([slot, { id }]) => start.get(slot) === id))
      // The change at a place must be there, or be the newest removed one.
      if (given.size < start.size || !(isFirst || copied !== undefined || placeOf(given) === place))
        return yield* new CursorExpired()
      const ofSlots = petId === undefined ? [...oldest.keys()] : changes.slice(0, 1).map(([, , , , , , slot]) => Number(slot))
      if (isUp && !isFirst && ofSlots.some((slot) => (start.get(slot) ?? 0n) < (oldest.get(slot)?.id ?? 0n)))
        return yield* new CursorExpired()
      const rows = merged(changes, order, limit + 1)
      const shown = rows.slice(0, limit)
      const next = placeOf(new Map([...(isFirst && isUp ? oldest : given), ...marksOf(shown)]))
      return {
        changes: yield* changesOf(shown),
        next: isUp || rows.length > limit ? next : undefined,
        ...(newest && { end: placeOf(new Map([...marksOf(newest.removed), ...marksOf(newest.changes)])) }),
      }
    })

  const tryRestore = (
    petId: PetId,
    by: Parameters<OriginOf>[0],
  ): Effect.Effect<Pet | undefined, PetNotFound | StorageUnavailable> =>
    Effect.gen(function* () {
      const [present] = yield* read(findPet, [petId])
      if (present !== undefined) return petOfRow(present)
      // Safe: the statement lists these columns.
      const [removal] = (yield* read(selectRemoval(layout), [petId])) as unknown as ReadonlyArray<
        readonly [bigint, bigint, string | null]
      >
      const pet = touchedIn(removal?.[2] ?? null)?.pet
      if (removal === undefined || pet === undefined) return yield* new PetNotFound({ petId })
      const values = [petId, pet.name, pet.categoryId, pet.status ?? null, wordsTextOf(pet.name), removal[0], removal[1]]
      return (yield* changeRow("restore_pet", values, { by, after: { pet } })) ? pet : undefined
    })

  return ChangeRepository.of({
    list: find,

    latest: Effect.map(read(selectLatest), ([row]) => String(row?.[0])),

    restorePet: (petId, by) =>
      tryRestore(petId, by).pipe(
        Effect.repeat({ until: (pet) => pet !== undefined, times: attemptsMaximum - 1 }),
        Effect.flatMap((pet) => (pet === undefined ? new PetNotFound({ petId }) : Effect.succeed(pet))),
      ),

    removeBefore: (time, limit) =>
      Effect.gen(function* () {
        const { changes } = yield* rowsOf({ order: "asc", limit, withoutSides: true })
        const before = BigInt(Math.ceil(time.getTime()))
        const old = Arrays.takeWhile(merged(changes, "asc", limit), ([, at]) => at < before)
        if (old.length === 0) return 0
        const last = [...marksOf(old)]
        if (layout === "spread") {
          const removals = yield* Effect.forEach(last, ([slot, { id, tag }]) => write(call("remove_changes", 3), [slot, id, tag]))
          return removals.flat().length
        }
        const rows = yield* write(remove, [
          last.map(([slot]) => slot),
          last.map(([, { id }]) => id),
          last.map(([, { tag }]) => tag),
          old.map(([, , , , , , slot]) => slot),
          old.map(([id]) => id),
        ])
        return rows.length
      }),
  })
}
