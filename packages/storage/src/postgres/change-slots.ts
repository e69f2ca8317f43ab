/** Reads the changes of slots: on one node in one statement, in a cluster each slot on its shard. */
import { maxInt64, type PetId, type PetOrder } from "@petstore/core"
import * as Effect from "effect/Effect"
import { type StoredChange, tagOf } from "../change-rows.js"
import type { Marks, Position } from "./change-places.js"
import { prepared, type Rows, type Text } from "./engine/connection.js"
import type { Layout } from "./engine/layout.js"

/** A change, or what is known of one at a place, without the sides. Of a removed change, only the tag is known, as `before`. */
export type ChangeColumns = readonly [
  ...StoredChange,
  slot: bigint,
  petId: bigint | null,
  actor: bigint | null,
  kind: "change" | "place" | "removed",
]

/** What to read: at most `limit` changes of each slot, or of a pet. Without their sides, to remove them. */
export interface SlotSelection {
  readonly order: PetOrder
  /** The changes of the slots, or the change of all, behind which to read. */
  readonly start?: Position | bigint
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
  { order, petId, withoutSides = false }: SlotSelection,
): string => {
  const [where, by] = petId === undefined ? [`slot = ${slot}`, "slot"] : [`${petSlot} pet_id = $5`, "pet_id"]
  return `(SELECT ${columnsAs("change", withoutSides ? "NULL, NULL" : "before, after")} FROM changes
    WHERE ${where} AND id ${directions[order].behind} ${behind} ORDER BY ${by} ${order}, id ${order} LIMIT $3::int8)
  UNION ALL SELECT ${columnsAs("place")} FROM changes WHERE slot = ${slot} AND id = ${place}
  UNION ALL SELECT last_id, 0, 0, NULL, tag, NULL, slot, NULL, NULL, 'removed' FROM removed_changes WHERE slot = ${slot}`
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

type Read<E> = (text: Text, values?: ReadonlyArray<unknown>) => Effect.Effect<Rows, E>

export type ReadSlots<E> = (
  selection: SlotSelection,
) => Effect.Effect<Record<"changes" | "places" | "removed", ReadonlyArray<ChangeColumns>>, E>

/** `readCoordinator` does not wait for a node. */
export const readSlots = <E>(layout: Layout, read: Read<E>, readCoordinator = read): ReadSlots<E> => {
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
      const { order, start = new Map(), limit, petId, withoutSides = false } = selection
      const { first, last } = directions[order]
      const [row] = petId === undefined ? [] : yield* readCoordinator(slotOfPet[layout], [petId])
      const position: Position = typeof start === "bigint" ? new Map() : start
      const own = row === undefined ? undefined : Number(row[0])
      // The history of a pet is in one slot.
      const asked = own === undefined ? yield* allSlots : [...new Set([own, ...position.keys()])]
      const places = asked.map((slot) => position.get(slot))
      const from = typeof start === "bigint" ? start : first
      const behind = asked.map((slot, index) => (own === undefined || own === slot ? (places[index] ?? from) : last))
      const text = texts[layout](selection)
      const pet = petId === undefined ? [] : [petId]
      const name = ["changes", order, petId !== undefined, withoutSides].join(" ")
      const parts =
        layout === "one node"
          ? [yield* read(prepared(name, text), [asked, behind, limit, places.map((place) => place ?? null), ...pet])]
          : yield* Effect.forEach(
              asked,
              (slot, index) => read(text, [slot, behind[index], limit, places[index] ?? null, ...pet]),
              { concurrency: "unbounded" },
            )
      // Safe: the statements list these columns.
      const rows = parts.flat() as unknown as ReadonlyArray<ChangeColumns>
      const of = (kind: ChangeColumns[9]) => rows.filter((row) => row[9] === kind)
      return { changes: of("change"), places: of("place"), removed: of("removed") }
    })
}

/** The last of these changes in each slot. */
export const marksOf = (rows: ReadonlyArray<ChangeColumns>): Marks =>
  new Map(
    rows.map(([id, at, operation, requestId, tag, , slot, petId, , kind]) => [
      Number(slot),
      { id, tag: kind === "removed" ? (tag ?? "") : tagOf(at, operation, requestId, petId) },
    ]),
  )
