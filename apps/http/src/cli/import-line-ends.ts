/** Line ends in the names of a file that a spreadsheet saved. */
import { PetRepository, type ValidPetCorrection } from "@petstore/core"
import type { PetUpdate } from "@petstore/pet-files"
import { Chunk, Effect } from "effect"

/** The most identifiers that a search takes. */
const searchMaximum = 100

const withLf = (name: string): string => name.replaceAll(/\r\n?/g, "\n")

const withoutName = ({ name: _, ...correction }: ValidPetCorrection): ValidPetCorrection => correction

/** Leaves a name as it is that differs only in its line ends: spreadsheets turn CR and CRLF into LF. */
export const keepLineEnds = (updates: ReadonlyArray<PetUpdate>) =>
  Effect.gen(function* () {
    const { search } = yield* PetRepository
    const asked = updates.filter(([, { name }]) => name?.includes("\n")).map(([petId]) => petId)
    const stored = new Map<bigint, string>()
    for (const id of Chunk.chunksOf(Chunk.fromIterable(new Set(asked)), searchMaximum)) {
      const { pets } = yield* search({ id: [...id], order: "asc", limit: searchMaximum })
      for (const pet of pets) stored.set(pet.id, withLf(pet.name))
    }
    return updates.map(([petId, correction]): PetUpdate => {
      const isSame = correction.name !== undefined && stored.get(petId) === withLf(correction.name)
      return [petId, isSame ? withoutName(correction) : correction]
    })
  })
