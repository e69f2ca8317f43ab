/** How pets get their search keys after they were kept: many at once, by key, since each key has a place of its own in the index. */
import { searchKeyOf } from "@petstore/core"

/** The Unicode version by which this process folds names. */
export const unicodeVersion = process.versions["unicode"] ?? ""

/** Pets that are read and put into the order of their keys at once. */
export const keyedAtOnce = 8_000

export interface NamedPet {
  readonly id: bigint
  readonly name: string
}

/** A pet, by its identifier and name, and its key. */
export type KeyedPet = readonly [id: bigint, name: string, key: string]

/** The keys of pets, in an order in which neighbours are neighbours in the index. */
export const keyed = (pets: ReadonlyArray<NamedPet>): ReadonlyArray<KeyedPet> =>
  pets
    .map(({ id, name }): KeyedPet => [id, name, searchKeyOf(name)])
    .sort(([, , one], [, , other]) => (one < other ? -1 : one > other ? 1 : 0))
