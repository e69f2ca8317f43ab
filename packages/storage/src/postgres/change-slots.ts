/** Reads the changes of slots: on one node in one statement, in a cluster each slot on its shard. */
import { maxInt64, type PetId, type PetOrder, type StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { StoredChange } from "../change-rows.js"
import type { Position } from "./change-places.js"
import { prepared } from "./engine/connection.js"
import type { Database } from "./engine/database.js"

/** A change, or what is known of one: of those that tell places, not the sides; of a removed change, only the tag, as `before`. */
export type ChangeColumns = readonly [
  ...StoredChange,
  slot: bigint,
  petId: bigint | null,
  actor: bigint | null,
  kind: "change" | "place" | "newest" | "removed",
]

/** What to read: at most `limit` changes of each slot, or of a pet, behind a position. Without their sides, to remove them. */
export interface SlotSelection {
  readonly order: PetOrder
  readonly start: Position
  /** Whether no place was given, so that a list from the newest needs the newest changes. */
  readonly isFirst: boolean
  readonly limit: number
  readonly petId?: PetId | undefined
  readonly withoutSides?: boolean
}

const directions = {
  asc: { behind: ">", first: 0n, last: maxInt64 },
  desc: { behind: "<", first: maxInt64, last: 0n },
} as const

const columnsAs = (kind: ChangeColumns[9], sides = "NULL, NULL"): string =>
  `id, at, operation, request_id, ${sides}, slot, pet_id, actor, '${kind}'`

/** At most $3 changes of a slot, or of pet $5, and the change at the place, if any. A pet's changes are in one slot. */
const ofSlot = (
  [slot, behind, place]: readonly [slot: string, behind: string, place: string],
  petSlot: string,
  { order, isFirst, petId, withoutSides = false }: SlotSelection,
): string => {
  const [where, by] = petId === undefined ? [`slot = ${slot}`, "slot"] : [`${petSlot} pet_id = $5`, "pet_id"]
  const newest = `UNION ALL (SELECT ${columnsAs("newest")} FROM changes WHERE slot = ${slot} ORDER BY slot DESC, id DESC LIMIT 1)`
  return `(SELECT ${columnsAs("change", withoutSides ? "NULL, NULL" : "before, after")} FROM changes
    WHERE ${where} AND id ${directions[order].behind} ${behind} ORDER BY ${by} ${order}, id ${order} LIMIT $3::int8)
  UNION ALL SELECT ${columnsAs("place")} FROM changes WHERE slot = ${slot} AND id = ${place}
  UNION ALL SELECT last_id, 0, 0, NULL, tag, NULL, slot, NULL, NULL, 'removed' FROM removed_changes WHERE slot = ${slot}
  ${isFirst && order === "desc" ? newest : ""}`
}

const texts = {
  "one node": (selection: SlotSelection): string => `SELECT part.*
    FROM unnest($1::int8[], $2::int8[], $4::int8[]) AS each (slot, behind, place)
    CROSS JOIN LATERAL (${ofSlot(["each.slot", "each.behind", "each.place"], "", selection)}) AS part`,
  spread: (selection: SlotSelection): string => ofSlot(["$1", "$2", "$4::int8"], "slot = $1 AND", selection),
}

const slotOfPet = {
  "one node": "SELECT slot FROM changes WHERE pet_id = $1 ORDER BY pet_id DESC, id DESC LIMIT 1",
  spread: "SELECT change_slot($1)",
}

export type ReadSlots = (selection: SlotSelection) => Effect.Effect<ReadonlyArray<ChangeColumns>, StorageUnavailable>

export const readSlots = ({ layout, read, coordinator }: Database): ReadSlots => {
  // Safe: the statements list these columns.
  const rowsOf = (...statement: Parameters<typeof read>) =>
    Effect.map(read(...statement), (rows) => rows as unknown as ReadonlyArray<ChangeColumns>)

  let found: ReadonlyArray<number> = []
  /** All slots, in a cluster also those from before the distribution. */
  const allSlots = Effect.suspend(() =>
    found.length > 0
      ? Effect.succeed(found)
      : Effect.map(read("SELECT slot FROM inventory"), (rows) => {
          found = rows.map(([slot]) => Number(slot))
          return found
        }),
  )

  return (selection) =>
    Effect.gen(function* () {
      const { order, start, isFirst, limit, petId, withoutSides = false } = selection
      const { first, last } = directions[order]
      const [row] = petId === undefined ? [] : yield* coordinator.read(slotOfPet[layout], [petId])
      const own = row === undefined ? undefined : Number(row[0])
      // The newest changes are in all slots, the history of a pet is in one.
      const isWide = own === undefined || (isFirst && order === "desc")
      const asked = isWide ? yield* allSlots : [...new Set([own, ...start.keys()])]
      const places = asked.map((slot) => start.get(slot))
      const behind = asked.map((slot, index) => (own === undefined || own === slot ? (places[index] ?? first) : last))
      const text = texts[layout](selection)
      const pet = petId === undefined ? [] : [petId]
      if (layout === "one node") {
        const name = ["changes", order, isFirst, petId !== undefined, withoutSides].join(" ")
        return yield* rowsOf(prepared(name, text), [asked, behind, limit, places.map((place) => place ?? null), ...pet])
      }
      const rows = yield* Effect.forEach(
        asked,
        (slot, index) => rowsOf(text, [slot, behind[index], limit, places[index] ?? null, ...pet]),
        { concurrency: "unbounded" },
      )
      return rows.flat()
    })
}
