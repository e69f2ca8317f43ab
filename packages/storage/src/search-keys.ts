/** Adds search keys to existing pets in batches, sorted by key, because neighbours share pages of the index. */
import { searchKeyOf } from "@petstore/core"

/** The Unicode version by which this process folds names. */
export const unicodeVersion = process.versions["unicode"] ?? ""

/** How many pets are read and sorted by their keys at once. */
export const keyedAtOnce = 8_000

export interface NamedPet {
  readonly id: bigint
  readonly name: string
}

/** A pet, by its identifier and name, and its key. */
export type KeyedPet = readonly [id: bigint, name: string, key: string]

/** The keys of pets, in the order of the index. */
export const keyed = (pets: ReadonlyArray<NamedPet>): ReadonlyArray<KeyedPet> =>
  pets
    .map(({ id, name }): KeyedPet => [id, name, searchKeyOf(name)])
    .sort(([, , one], [, , other]) => (one < other ? -1 : one > other ? 1 : 0))
