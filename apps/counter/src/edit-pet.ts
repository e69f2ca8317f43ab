/** The form that corrects a pet, in a dialog. Saves only if the pet has not changed since the dialog opened. */
import type { NewPet, Pet, PetCorrection, Result } from "@petstore/client"
import { one } from "@petstore/pages/elements"
import { report } from "./activity.ts"
import { categoryName } from "./category-names.ts"
import { isChanged, sentenceOf } from "./failure.ts"
import { fillFields, offerCategories, problemIn, readFields, statusIn } from "./pet-fields.ts"
import { sendForm } from "./sending.ts"
import type { Session } from "./session.ts"
import { changeOnce } from "./until-known.ts"
import type { Row } from "./view.ts"

export const editForm = () => one("[data-edit]", HTMLFormElement)
const dialog = () => one("[data-edit-dialog]", HTMLDialogElement)

/** The pet as the dialog showed it. */
let shown: Result<Pet> | undefined

const show = (result: Result<Pet>): void => {
  shown = result
  const pet = result.value
  one("[data-edit-title]", HTMLElement).textContent = `Edit ${pet.name}, animal ${pet.id}`
  fillFields(editForm(), pet)
}

export const openEdit = async ({ petstore, signal }: Session, { pet, order }: Row): Promise<undefined> => {
  const now = await petstore.getPet(pet.id, { signal })
  // The user has opened another dialog in the meantime.
  if (document.querySelector("dialog[open]") !== null) return undefined
  offerCategories(editForm())
  problemIn(editForm()).textContent = ""
  show(now)
  const held = one("[data-held]", HTMLElement)
  held.hidden = order === undefined
  held.textContent = `Order ${order?.id} holds the animal: complete or cancel it before you change the status.`
  statusIn(editForm()).disabled = order !== undefined
  dialog().showModal()
  return undefined
}

const correctionOf = (pet: Pet, { name, categoryId, status }: NewPet): PetCorrection => ({
  ...(name === pet.name ? {} : { name }),
  ...(categoryId === pet.categoryId ? {} : { categoryId }),
  ...(status === pet.status ? {} : { status: status ?? null }),
})

/** Describes the requested changes in words, because the form then shows the current values. */
const wanted = ({ name, categoryId, status }: PetCorrection): string =>
  [
    ...(name === undefined ? [] : [`the name ${name}`]),
    ...(categoryId === undefined ? [] : [`the category ${categoryName(categoryId)}`]),
    ...(status === undefined ? [] : [`the status ${status ?? "none"}`]),
  ].join(", ")

export const savePet = async (session: Session): Promise<void> => {
  const { petstore, signal } = session
  const form = editForm()
  const given = readFields(form)
  const asShown = shown
  if (given === undefined || asShown === undefined) return
  const { value: before, etag } = asShown
  const correction = correctionOf(before, given)
  const { id } = before
  const save = async (say: (sentence: string) => void) => {
    if (Object.keys(correction).length === 0) return dialog().close()
    const options = { signal, ifMatch: etag }
    await changeOnce(
      () => petstore.correctPet(id, correction, options),
      async (refusal) => {
        if (!isChanged(refusal)) return false
        const now = await petstore.getPet(id, { signal })
        const missing = correctionOf(now.value, given)
        return !Object.keys(missing).some((member) => Object.hasOwn(correction, member))
      },
      () => say(`It is not known yet whether ${given.name} was saved. This page keeps trying.`),
      signal,
    )
    report(
      given.name === before.name
        ? `Saved ${given.name}, animal ${id}.`
        : `Saved ${given.name}, animal ${id}: it was ${before.name}.`,
    )
    // The dialog may be showing another pet by now.
    if (shown === asShown) dialog().close()
  }
  await sendForm(session, form, save, async (thrown) => {
    if (isChanged(thrown)) {
      show(await petstore.getPet(id, { signal }))
      return `Another person has changed this animal. The form shows it as it is now, and your changes are not saved. You wanted ${wanted(correction)}.`
    }
    report(`${before.name} was not saved: ${sentenceOf(thrown)}`, { isFailure: true })
    return sentenceOf(thrown)
  })
}

/** Clears what the dialog keeps apart from its fields. */
export const forgetEdit = (): void => {
  shown = undefined
  problemIn(editForm()).textContent = ""
  one("[data-edit-title]", HTMLElement).textContent = ""
}
