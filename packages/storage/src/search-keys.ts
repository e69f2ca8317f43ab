/** Adds search keys to existing pets in batches, sorted by key, because neighbours share pages of the index. */
import { searchKeyOf } from "@petstore/core"

/** The Unicode version by which this process folds names. */
export const unicodeVersion = process.versions["unicode"] ?? ""

/** A pet as a row of its identifier and name. */
export type NamedPet = readonly [id: bigint, name: string]

/** The same, and its key. */
export type KeyedPet = readonly [...NamedPet, key: string]

/** The keys of pets, in the order of the index. */
export const keyed = (pets: ReadonlyArray<NamedPet>): ReadonlyArray<KeyedPet> =>
  pets
    .map(([id, name]): KeyedPet => [id, name, searchKeyOf(name)])
    .sort(([, , one], [, , other]) => (one < other ? -1 : one > other ? 1 : 0))
