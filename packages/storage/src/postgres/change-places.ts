/**
 * Places between changes in PostgreSQL: for each slot, the last change before the place, and a tag of all these changes. In a store
 * that was restored, or whose standby took over without its newest changes, other changes may have these identifiers.
 */
import { type ChangePlace, maxInt64 } from "@petstore/core"
import { tagOf } from "../change-rows.js"

/** The last change before a place, by its slot. */
export type Position = ReadonlyMap<number, bigint>

const bytesOf = (value: bigint): ReadonlyArray<number> =>
  value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...bytesOf(value >> 7n)]

/** Integers of any size, the lowest 7 bits first. */
const integersIn = (bytes: Uint8Array): ReadonlyArray<bigint> => {
  const integers: Array<bigint> = []
  let [value, shift] = [0n, 0n]
  for (const byte of bytes) {
    value |= BigInt(byte & 127) << shift
    shift += 7n
    if (byte < 128) {
      integers.push(value)
      value = 0n
      shift = 0n
    }
  }
  return integers
}

export const encodePlace = (position: Position, tag: string): ChangePlace => {
  const entries = [...position].toSorted(([one], [other]) => one - other)
  const bytes = entries.flatMap(([slot, id]) => [...bytesOf(BigInt(slot)), ...bytesOf(id)])
  return `${tag}-${Buffer.from(bytes).toString("base64url")}`
}

/** The place behind a position. The tags are those of its changes, by slot. */
export const placeOf = (position: Position, tags: ReadonlyMap<number, string>): ChangePlace =>
  encodePlace(position, tagOf(...[...position.keys()].toSorted((one, other) => one - other).map((slot) => tags.get(slot) ?? "")))

/** Slots are below this number, also in a cluster. */
const slotMaximum = 2 ** 31

/** The longest place, for more slots than a cluster has shards: each is looked up. */
const textMaximum = 2_000

/** `undefined` if the text is not a place of a PostgreSQL store. */
export const decodePlace = (place: ChangePlace): { readonly position: Position; readonly tag: string } | undefined => {
  const [, tag, text] = /^([0-9A-Za-z]+)-([-_0-9A-Za-z]*)$/.exec(place) ?? []
  if (tag === undefined || text === undefined || text.length > textMaximum) return undefined
  const integers = integersIn(Buffer.from(text, "base64url"))
  const position = new Map<number, bigint>()
  for (let index = 0; index + 1 < integers.length; index += 2) position.set(Number(integers[index]), integers[index + 1] ?? 0n)
  const isWhole = integers.length % 2 === 0 && [...position.keys()].every((slot) => slot < slotMaximum)
  return isWhole && integers.every((integer) => integer <= maxInt64) ? { position, tag } : undefined
}
