/** What a person does to many pets at once: taking a delivery back, and bringing it back. */
import type { Pet } from "@petstore/client"
import { correctionOf } from "./correction.ts"
import { hasCode, sentenceOf } from "./failure.ts"
import { refresh } from "./refresh.ts"
import { report, sessionNow, untold } from "./report.ts"
import { animals, named, sentence } from "./sentence.ts"
import { isRefused } from "./session.ts"
import type { Session } from "./state.ts"
import { changeOnce } from "./until-known.ts"

const mark = "together-"

/** Headers for all requests of one act of a person, by which the history joins their changes. */
export const oneAct = (): Readonly<Record<string, string>> => ({
  "X-Request-Id": mark + crypto.getRandomValues(new Uint32Array(4)).join("-"),
})

export const isTogether = (requestId: string | undefined): requestId is string => requestId?.startsWith(mark) === true

interface Work {
  readonly doing: string
  readonly done: string
  /** Changes a pet. Resolves to `false` if it must be left alone. */
  readonly change: (
    session: Session,
    pet: Pet,
    headers: Readonly<Record<string, string>>,
    isUnknown: () => void,
  ) => Promise<boolean>
  readonly undo?: (pets: ReadonlyArray<Pet>) => Promise<void>
}

/** Changes pets one by one, and reports which were left alone. */
const changeAll = async (pets: ReadonlyArray<Pet>, { doing, done, change, undo }: Work): Promise<void> => {
  const session = sessionNow()
  const headers = oneAct()
  const changed: Array<Pet> = []
  const left: Array<Pet> = []
  report(`${doing} ${animals(pets.length)}…`, { kind: "waiting" })
  try {
    await untold(`all ${animals(pets.length)} are ${done.toLowerCase()}`, async (isUnknown) => {
      for (const pet of pets) {
        const isChanged = await change(session, pet, headers, isUnknown).catch((thrown: unknown) => {
          if (hasCode(thrown, "pet_not_found", "pet_reserved", "precondition_failed")) return false
          throw thrown
        })
        ;(isChanged ? changed : left).push(pet)
      }
    })
    const names = left.map(({ name }, place) => sentence`${place === 0 ? "" : ", "}${named(name)}`)
    const others =
      left.length === 0
        ? ""
        : sentence` ${animals(left.length)} changed since, so nothing was done to ${left.length === 1 ? "it" : "them"}: ${names}.`
    const offered = undo === undefined || changed.length === 0 ? {} : { undo: () => undo(changed) }
    report(sentence`${done} ${animals(changed.length)}.${others}`, offered)
  } catch (thrown) {
    if (session.signal.aborted) return
    report(`${done} ${changed.length} of ${animals(pets.length)}, then stopped: ${sentenceOf(thrown)}`, { kind: "failed" })
    isRefused(thrown)
  }
  await refresh({ isAnew: true })
}

export const bringAllBack = (pets: ReadonlyArray<Pet>): Promise<void> =>
  changeAll(pets, {
    doing: "Bringing back",
    done: "Brought back",
    change: async ({ petstore, signal }, { id }, headers) => {
      await petstore.restorePet(id, { signal, headers })
      return true
    },
  })

/** Removes those of the pets that are as they were added, and offers to bring them back. */
export const removeAll = (pets: ReadonlyArray<Pet>): Promise<void> =>
  changeAll(pets, {
    doing: "Removing",
    done: "Removed",
    change: async ({ petstore, signal }, pet, headers, isUnknown) => {
      const { value, etag } = await petstore.getPet(pet.id, { signal })
      if (Object.keys(correctionOf(value, pet)).length > 0) return false
      const isMade = async (refusal: unknown) => hasCode(refusal, "pet_not_found")
      await changeOnce(() => petstore.removePet(pet.id, { signal, ifMatch: etag, headers }), isMade, isUnknown, signal)
      return true
    },
    undo: bringAllBack,
  })
