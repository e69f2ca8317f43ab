/** Reads the changes of slots: on one node in one statement, in a cluster each slot on its shard. */
import { maxInt64, type PetId, type PetOrder, type StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { Position } from "./change-places.js"
import { prepared } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { keepsInventory, slots } from "./inventory-repository.js"

/** A change, or what is known of one: of those that tell places, not the sides; of a removed change, only the tag, as `before`. */
export type ChangeColumns = readonly [
  kind: "change" | "place" | "newest" | "removed",
  slot: bigint,
  id: bigint,
  at: bigint,
  operation: bigint,
  actor: bigint | null,
  requestId: string | null,
  petId: bigint | null,
  before: string | null,
  after: string | null,
]

/** What to read: at most `limit` changes of each slot, or of a pet, behind a position. Without their sides, to remove them. */
export interface SlotSelection {
  readonly order: PetOrder
  readonly start: Position
  /** Whether a place was given, so that the newest changes need not be read. */
  readonly isFirst: boolean
  readonly limit: number
  readonly petId?: PetId | undefined
  readonly withoutSides?: boolean
}

const directions = { asc: { behind: ">", start: 0n }, desc: { behind: "<", start: maxInt64 } } as const

const known = "changes.slot, changes.id, at, operation, actor, request_id, pet_id"

const sidesFor = (withoutSides: boolean): string => (withoutSides ? "NULL, NULL" : "before, after")

/** The changes at the places ($1, $2), and the newest removed ones. */
const placesAndRemoved = `SELECT 'place', ${known}, NULL, NULL
    FROM unnest($1::int8[], $2::int8[]) AS place (slot, id) JOIN changes ON changes.slot = place.slot AND changes.id = place.id
  UNION ALL SELECT 'removed', slot, last_id, 0, 0, NULL, NULL, NULL, tag, NULL FROM removed_changes`

/** At most $3 changes of each slot behind the places. */
const ofAll = (order: "asc" | "desc", sides: string): string => `SELECT 'change', ${known}, ${sides}
  FROM generate_series(0, ${slots - 1}) AS each (slot) LEFT JOIN unnest($1::int8[], $2::int8[]) AS start (slot, id) ON start.slot = each.slot
  CROSS JOIN LATERAL (SELECT * FROM changes WHERE slot = each.slot AND id ${directions[order].behind} coalesce(start.id, ${directions[order].start})
    ORDER BY slot ${order}, id ${order} LIMIT $3::int8) AS changes`

/** At most $3 changes of pet $4, whose changes are in one slot, behind the place. */
const ofPet = (order: "asc" | "desc"): string => `(SELECT 'change', ${known}, before, after FROM changes
  WHERE pet_id = $4 AND id ${directions[order].behind} coalesce((SELECT start.id FROM unnest($1::int8[], $2::int8[]) AS start (slot, id)
    WHERE start.slot = (SELECT slot FROM changes WHERE pet_id = $4 ORDER BY pet_id DESC, id DESC LIMIT 1)), ${directions[order].start})
  ORDER BY pet_id ${order}, id ${order} LIMIT $3::int8)`

/** The newest change of each slot. */
const newest = `SELECT 'newest', ${known}, NULL, NULL FROM generate_series(0, ${slots - 1}) AS each (slot)
  CROSS JOIN LATERAL (SELECT * FROM changes WHERE slot = each.slot ORDER BY slot DESC, id DESC LIMIT 1) AS changes`

const textOf = (what: string, ...parts: ReadonlyArray<string>) => prepared(what, [...parts, placesAndRemoved].join(" UNION ALL "))

const select = {
  asc: { all: textOf("changes asc", ofAll("asc", sidesFor(false))), ofPet: textOf("changes of pet asc", ofPet("asc")) },
  desc: {
    all: textOf("changes desc", ofAll("desc", sidesFor(false)), newest),
    ofPet: textOf("changes of pet desc", ofPet("desc"), newest),
  },
}

const selectOldest = textOf("oldest changes", ofAll("asc", sidesFor(true)))

/** The same of one slot: at most $3 changes of slot $1 behind $2, and the change $4, if any. The shard answers it alone. */
const ofSlot = ({ order, petId, withoutSides = false }: SlotSelection): string => {
  const ofPet = petId === undefined ? "" : "AND pet_id = $5"
  return `(SELECT 'change', ${known}, ${sidesFor(withoutSides)} FROM changes WHERE slot = $1 ${ofPet} AND id ${directions[order].behind} $2
    ORDER BY ${petId === undefined ? "slot" : "pet_id"} ${order}, id ${order} LIMIT $3::int8)
  UNION ALL SELECT 'place', ${known}, NULL, NULL FROM changes WHERE slot = $1 AND id = $4::int8
  UNION ALL SELECT 'removed', slot, last_id, 0, 0, NULL, NULL, NULL, tag, NULL FROM removed_changes WHERE slot = $1
  UNION ALL (SELECT 'newest', ${known}, NULL, NULL FROM changes WHERE slot = $1 ORDER BY slot DESC, id DESC LIMIT 1)`
}

export type ReadSlots = (selection: SlotSelection) => Effect.Effect<ReadonlyArray<ChangeColumns>, StorageUnavailable>

export const readSlots = ({ layout, read, coordinator }: Database): ReadSlots => {
  // Safe: the statements list these columns.
  const rowsOf = (...statement: Parameters<typeof read>) =>
    Effect.map(read(...statement), (rows) => rows as unknown as ReadonlyArray<ChangeColumns>)

  if (keepsInventory(layout))
    return ({ order, start, limit, petId, withoutSides = false }) => {
      const { all, ofPet } = select[order]
      const places = [[...start.keys()], [...start.values()], limit]
      if (petId !== undefined) return rowsOf(ofPet, [...places, petId])
      return rowsOf(withoutSides ? selectOldest : all, places)
    }

  let found: ReadonlyArray<number> = []
  /** All slots, also those from before the distribution. */
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
      const { order, start, isFirst, limit, petId } = selection
      const slotOfPet = petId === undefined ? undefined : yield* coordinator.read("SELECT change_slot($1)", [petId])
      const own = slotOfPet === undefined ? undefined : Number(slotOfPet[0]?.[0])
      // The newest changes are in all slots, the history of a pet is in one.
      const isWide = own === undefined || (isFirst && order === "desc")
      const asked = isWide ? yield* allSlots : [...new Set([own, ...start.keys()])]
      const rows = yield* Effect.forEach(
        asked,
        (slot) => {
          const place = start.get(slot)
          const taken = own === undefined || own === slot ? limit : 0
          const values = [slot, place ?? directions[order].start, taken, place ?? null]
          return rowsOf(ofSlot(selection), petId === undefined ? values : [...values, petId])
        },
        { concurrency: "unbounded" },
      )
      return rows.flat()
    })
}
