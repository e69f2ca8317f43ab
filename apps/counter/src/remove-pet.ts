import { etagOf, type Pet } from "@petstore/client"
import { report } from "./activity.ts"
import { confirmed } from "./confirm.ts"
import { hasCode } from "./failure.ts"
import type { Session } from "./session.ts"
import { changeOnce } from "./until-known.ts"

/** Asks for confirmation, then removes the pet if it has not changed. Returns `undefined` if the person declines. */
export const removePet = async ({ petstore, signal }: Session, { id }: Pet): Promise<string | undefined> => {
  const pet = await petstore.getPet(id, { signal })
  const { name } = pet
  if (!(await confirmed(`Remove ${name}, animal ${id}, for good? This cannot be undone.`, "Remove", signal))) return undefined
  const options = { signal, ifMatch: etagOf(pet) }
  await changeOnce(
    () => petstore.removePet(id, options),
    async (refusal) => hasCode(refusal, "pet_not_found"),
    () => report(`It is not known yet whether ${name} was removed. This page keeps trying.`),
    signal,
  )
  return `Removed ${name}, animal ${id}.`
}
