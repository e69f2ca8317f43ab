/** The form that adds a pet, in a dialog. The input stays in the form until the pet is added. */
import { one } from "@petstore/pages/elements"
import { report } from "./activity.ts"
import { sentenceOf } from "./failure.ts"
import { nameIn, offerCategories, problemIn, readFields } from "./pet-fields.ts"
import { sendForm } from "./sending.ts"
import type { Session } from "./session.ts"
import { createOnce } from "./until-known.ts"

export const addForm = () => one("[data-add]", HTMLFormElement)
const dialog = () => one("[data-add-dialog]", HTMLDialogElement)
const added = () => one("[data-added]", HTMLElement)

export const openAdd = (): void => {
  offerCategories(addForm())
  dialog().showModal()
}

export const closeAdd = (): void => {
  addForm().reset()
  offerCategories(addForm())
  problemIn(addForm()).textContent = ""
  added().textContent = ""
  dialog().close()
}

export const addPet = async (session: Session): Promise<void> => {
  const { petstore, signal } = session
  const form = addForm()
  const given = readFields(form)
  if (given === undefined) return
  added().textContent = ""
  const add = async (say: (sentence: string) => void) => {
    const { value: pet } = await createOnce(
      (options) => petstore.createPet(given, options),
      () => say(`It is not known yet whether ${given.name} was added. This page keeps trying, and adds at most one animal.`),
      signal,
    )
    const sentence = `Added ${pet.name} as animal ${pet.id}.`
    report(sentence)
    const name = nameIn(form)
    // The user may already be entering the next pet.
    if (name.value !== given.name) return
    if (!one("[name=another]", HTMLInputElement, form).checked) return closeAdd()
    added().textContent = sentence
    // The next pet often has the same category and status.
    name.value = ""
    name.focus()
  }
  await sendForm(session, form, add, async (thrown) => {
    report(`${given.name} was not added: ${sentenceOf(thrown)}`, { isFailure: true })
    return sentenceOf(thrown)
  })
}
