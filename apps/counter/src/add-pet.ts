/** The form that adds an animal, in a dialog. What is typed stays until the animal is added. */
import type { Client, NewPet } from "@petstore/client"
import { one } from "@petstore/docs/elements"
import { report } from "./activity.ts"
import { isRefusedKey, sentenceOf } from "./failure.ts"
import { int64Of } from "./int64.ts"
import { createOnce } from "./until-known.ts"

const form = () => one("[data-add]", HTMLFormElement)
const problem = () => one("[data-add-problem]", HTMLElement)

/** Empties the form and closes its dialog. */
export const closeForm = (): void => {
  form().reset()
  problem().textContent = ""
  one("[data-add-dialog]", HTMLDialogElement).close()
}

/** What the form holds. Marks a wrong field, and returns `undefined`. */
const newPetOf = (): NewPet | undefined => {
  const name = one("[name=name]", HTMLInputElement, form())
  const category = one("[name=categoryId]", HTMLInputElement, form())
  const { value: status } = one("[name=status]", HTMLSelectElement, form())
  const categoryId = int64Of(category.value)
  for (const field of [name, category]) field.removeAttribute("aria-invalid")
  const wrong = name.value.trim() === "" ? name : categoryId === undefined ? category : undefined
  if (wrong !== undefined || categoryId === undefined) {
    problem().textContent = wrong === name ? "The animal needs a name." : "The category is a whole number, in digits."
    wrong?.setAttribute("aria-invalid", "true")
    wrong?.focus()
    return undefined
  }
  // Safe: the page offers the three statuses and none.
  return { name: name.value, categoryId, ...(status === "" ? {} : { status: status as NonNullable<NewPet["status"]> }) }
}

/** Adds the animal of the form. The button stays disabled until it is known what became of it. */
export const addPet = async (petstore: Client, signal: AbortSignal, onRefusedKey: (thrown: unknown) => void): Promise<void> => {
  const send = one("button[type=submit]", HTMLButtonElement, form())
  const given = newPetOf()
  if (given === undefined || send.disabled) return
  send.disabled = true
  problem().textContent = ""
  const notKnown = () => {
    problem().textContent = `It is not known yet whether ${given.name} was added. This page asks again; it adds one animal at most.`
  }
  try {
    const pet = await createOnce((options) => petstore.createPet(given, options), notKnown, signal)
    report(`Added ${pet.name} as animal ${pet.id}.`)
    closeForm()
  } catch (thrown) {
    if (signal.aborted) return
    if (isRefusedKey(thrown)) onRefusedKey(thrown)
    problem().textContent = sentenceOf(thrown)
    report(`${given.name} was not added: ${sentenceOf(thrown)}`, { isFailure: true })
  } finally {
    send.disabled = false
  }
}
