/**
 * Places between changes in PostgreSQL: for each slot, the last change before the place, and a tag of all these changes. In a store
 * that was restored, or whose standby took over without its newest changes, other changes may have these identifiers.
 */
import { type ChangePlace, maxInt64 } from "@petstore/core"
import { tagOf } from "../change-rows.js"

/** The last change before a place, by its slot. */
export type Position = ReadonlyMap<number, bigint>

/** The changes at a {@link Position}. */
export type Marks = ReadonlyMap<number, { readonly id: bigint; readonly tag: string }>

/** The place behind changes. Its numbers are hexadecimal. */
export const placeOf = (marks: Marks): ChangePlace => {
  const entries = [...marks].toSorted(([one], [other]) => one - other)
  const positions = entries.map(([slot, { id }]) => `${slot.toString(16)}_${id.toString(16)}`)
  return [tagOf(...entries.map(([, { tag }]) => tag)), ...positions].join("-")
}

/** Slots are below this number, also in a cluster. */
const slotMaximum = 2 ** 31

/** The longest place, for more slots than a cluster has shards: each is looked up. */
const textMaximum = 2_000

/** `undefined` if the text is not a place of a PostgreSQL store. */
export const decodePlace = (place: ChangePlace): Position | undefined => {
  if (!/^[0-9A-Za-z]+(?:-[0-9a-f]{1,8}_[0-9a-f]{1,16})*$/.test(place) || place.length > textMaximum) return undefined
  const positions = place
    .split("-")
    .slice(1)
    .map((text) => text.split("_").map((number) => BigInt(`0x${number}`)))
  const position = new Map(positions.map(([slot = 0n, id = 0n]) => [Number(slot), id]))
  return [...position].every(([slot, id]) => slot < slotMaximum && id <= maxInt64) ? position : undefined
}
