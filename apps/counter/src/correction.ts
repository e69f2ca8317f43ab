/** Corrections of a pet. */
import type { NewPet, Pet, PetCorrection } from "@petstore/client"
import { isChanged } from "./failure.ts"
import type { Session } from "./state.ts"
import { changeOnce } from "./until-known.ts"

/** The correction that makes the first pet the second one. */
export const correctionOf = (pet: NewPet, { name, categoryId, status }: NewPet): PetCorrection => ({
  ...(name === pet.name ? {} : { name }),
  ...(categoryId === pet.categoryId ? {} : { categoryId }),
  ...(status === pet.status ? {} : { status: status ?? null }),
})

const isMadeBy = (pet: Pet, { name, categoryId, status }: PetCorrection): boolean =>
  (name === undefined || name === pet.name) &&
  (categoryId === undefined || categoryId === pet.categoryId) &&
  (status === undefined || (status ?? undefined) === pet.status)

/** Makes a correction under the tag of the pet as the user saw it. */
export const correct = (
  { petstore, signal }: Session,
  id: bigint,
  etag: string | undefined,
  correction: PetCorrection,
  isUnknown: () => void,
): Promise<void> =>
  changeOnce(
    () => petstore.correctPet(id, correction, { signal, ifMatch: etag }),
    async (refusal) => isChanged(refusal) && isMadeBy((await petstore.getPet(id, { signal })).value, correction),
    isUnknown,
    signal,
  )
