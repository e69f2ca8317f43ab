/** Adds search keys to existing pets in batches sorted by key, because neighbouring keys share index pages. */
import { searchKeyOf } from "@petstore/core"

/** The Unicode version that this process uses to fold names. */
export const unicodeVersion = process.versions["unicode"] ?? ""

export type NamedPet = readonly [id: bigint, name: string]
export type KeyedPet = readonly [...NamedPet, key: string]

const byKey = ([, , one]: KeyedPet, [, , other]: KeyedPet): number => (one < other ? -1 : one > other ? 1 : 0)

/** Adds the pets' keys, and sorts the pets in index order. */
export const keyed = (pets: ReadonlyArray<NamedPet>): ReadonlyArray<KeyedPet> =>
  pets.map(([id, name]): KeyedPet => [id, name, searchKeyOf(name)]).sort(byKey)

/** Merges sorted lists. This is fast, because sorting recognizes parts that are already sorted. */
export const merged = (lists: ReadonlyArray<ReadonlyArray<KeyedPet>>): ReadonlyArray<KeyedPet> => lists.flat().sort(byKey)
