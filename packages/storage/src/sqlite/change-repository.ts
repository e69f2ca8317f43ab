/**
 * The changes in SQLite. A place is the number of the change before it, and a tag of that change: in a store that was copied or
 * restored, another change may have that number. SQLite has one writer at a time, so numbers are in the order of commits.
 */
import {
  type Actor,
  type ChangePlace,
  ChangeRepository,
  type ChangeSelection,
  type ChangesFound,
  CursorExpired,
  maxInt64,
  type Pet,
  type PetId,
  PetNotFound,
} from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type ChangeRow, changeOfRow, changePlace, numberIn, numberOfOperation, touchedIn } from "../change-rows.js"
import { petColumns, petOfRow } from "../rows.js"
import type { RecordChange } from "./change-writes.js"
import { limited, type Statements } from "./engine/connection.js"
import type { Database } from "./engine/database.js"

const columns = "changes.id, at, operation, request_id, before, after, account_id, key_id, accounts.name, label"

const joined = `change_actors ON change_actors.id = actor
  LEFT JOIN accounts ON accounts.id = account_id LEFT JOIN (SELECT id AS key, label FROM api_keys) ON key = key_id`

const selectFrom = `SELECT ${columns} FROM changes LEFT JOIN ${joined} WHERE`

// Safe: the statements list `columns`.
const rowOf = (row: unknown): ChangeRow => row as ChangeRow

export const changeRepositoryWrites = ({ prepare, allOrNothing }: Statements, record: RecordChange) => {
  const select = prepare(`SELECT ${petColumns} FROM pets WHERE id = ?`)
  const selectRemoval = prepare(`SELECT before FROM changes WHERE pet_id = ? AND operation = ${numberOfOperation("removePet")}
    ORDER BY id DESC LIMIT 1`)
  const insert = prepare(`INSERT INTO pets (${petColumns}) VALUES (?, ?, ?, ?)`)
  const selectOldest = prepare(`SELECT id, at FROM changes WHERE id > 0 ORDER BY id ${limited}`)
  const selectOne = prepare(`${selectFrom} changes.id = ?`)
  const removeThrough = prepare("DELETE FROM changes WHERE id <= ?")
  const keepPlace = prepare("UPDATE removed_changes SET last_place = ? WHERE only_row = 1")

  return {
    /** The pet, or `undefined` if its removal is not kept. */
    restorePet: (petId: PetId, by: Actor | undefined): Pet | undefined =>
      allOrNothing(() => {
        const row = select.get(petId)
        if (row !== undefined) return petOfRow(row)
        // Safe: the statement lists this column.
        const removal = selectRemoval.get(petId) as unknown as readonly [string | null] | undefined
        const pet = touchedIn(removal?.[0] ?? null)?.pet
        if (pet === undefined) return undefined
        insert.run(petId, pet.name, pet.categoryId, pet.status ?? null)
        record("restorePet", by, undefined, { pet })
        return pet
      }),

    removeChanges: (time: number, limit: number): number =>
      allOrNothing(() => {
        // Safe: the statements list these columns.
        const oldest = selectOldest.all(limit) as unknown as ReadonlyArray<readonly [id: bigint, at: bigint]>
        const kept = oldest.findIndex(([, at]) => at >= BigInt(Math.ceil(time)))
        const old = kept === -1 ? oldest : oldest.slice(0, kept)
        const last = old.at(-1)
        if (last === undefined) return 0
        keepPlace.run(changePlace(rowOf(selectOne.get(last[0]))))
        removeThrough.run(last[0])
        return old.length
      }),
  }
}

export const sqliteChangeRepository = ({
  prepare,
  run,
  together,
  inSmallSteps,
  writes,
}: Database<ReturnType<typeof changeRepositoryWrites>>) => {
  const statementsFor = (order: "asc" | "desc") => {
    const behind = `changes.id ${order === "asc" ? ">" : "<"} ? ORDER BY changes.id ${order} ${limited}`
    return { all: prepare(`${selectFrom} ${behind}`), ofPet: prepare(`${selectFrom} pet_id = ? AND ${behind}`) }
  }
  const select = { asc: statementsFor("asc"), desc: statementsFor("desc") }
  const selectOne = prepare(`${selectFrom} changes.id = ?`)
  const selectNewest = prepare(`${selectFrom} changes.id > 0 ORDER BY changes.id DESC LIMIT 1`)
  const selectRemoved = prepare("SELECT last_place FROM removed_changes WHERE only_row = 1")
  const selectLatest = prepare("SELECT id FROM changes WHERE id > 0 ORDER BY id DESC LIMIT 1")

  // Safe: the statement lists this column.
  const removedPlace = (): ChangePlace => (selectRemoved.get() as unknown as readonly [string])[0]
  const placesOf = (rows: ReadonlyArray<unknown>): ReadonlyArray<ChangePlace> => rows.map(rowOf).map(changePlace)
  /** The number of the change at a place; `undefined` if the store has another one there. */
  const numberAt = (place: ChangePlace): bigint | undefined => {
    const number = numberIn(place)
    if (number === undefined) return undefined
    return [removedPlace(), ...placesOf(selectOne.all(number))].includes(place) ? number : undefined
  }

  const find = ({ petId, order, after, limit }: ChangeSelection): ChangesFound | undefined => {
    const first = () => (order === "asc" ? numberIn(removedPlace()) : maxInt64)
    const start = Option.match(after, { onNone: first, onSome: numberAt })
    if (start === undefined) return undefined
    const { all, ofPet } = select[order]
    const rows = petId === undefined ? all.all(start, limit + 1) : ofPet.all(petId, start, limit + 1)
    const changes = rows.slice(0, limit).map((row) => changeOfRow(rowOf(row)))
    const last = rows.length > limit ? changes.at(-1)?.id : undefined
    const [end = removedPlace()] = placesOf(selectNewest.all())
    if (order === "asc") return { changes, next: last ?? end }
    return { changes, next: last, ...(Option.isNone(after) && { end }) }
  }

  return ChangeRepository.of({
    list: (selection) =>
      Effect.flatMap(
        run(() => together(() => find(selection))),
        (found) => (found === undefined ? new CursorExpired() : Effect.succeed(found)),
      ),

    latest: run(() => String(selectLatest.get())),

    restorePet: (petId, by) =>
      Effect.flatMap(writes.restorePet(petId, by), (pet) =>
        pet === undefined ? new PetNotFound({ petId }) : Effect.succeed(pet),
      ),

    removeBefore: (time, limit) => inSmallSteps(writes.removeChanges(time.getTime(), limit)),
  })
}
