import type { Category, Result } from "@petstore/client"
import { make, one } from "@petstore/pages/elements"
import { report } from "./activity.ts"
import { holdCategories, namedCategories, readCategories } from "./category-names.ts"
import { confirmed } from "./confirm.ts"
import { hasCode, isChanged, sentenceOf } from "./failure.ts"
import { int64Of } from "./int64.ts"
import { problemIn, refuse } from "./pet-fields.ts"
import { sendForm } from "./sending.ts"
import type { Session } from "./session.ts"
import { changeOnce } from "./until-known.ts"

export const categoryForm = () => one("[data-category-form]", HTMLFormElement)
const dialog = () => one("[data-categories-dialog]", HTMLDialogElement)
const numberField = () => one("[name=id]", HTMLInputElement, categoryForm())
const nameField = () => one("[name=name]", HTMLInputElement, categoryForm())

/** The category that the form renames, or `undefined` if the form names a category that has no name yet. */
let renamed: Result<Category> | undefined

const nextNumber = (): string => String(namedCategories().reduce((most, { id }) => (id > most ? id : most), 0n) + 1n)

/** Fills the form with the category to rename, or empties the form. */
const show = (result: Result<Category> | undefined): void => {
  renamed = result
  const category = result?.value
  const isNew = category === undefined
  numberField().value = isNew ? nextNumber() : String(category.id)
  numberField().readOnly = !isNew
  nameField().value = isNew ? "" : category.name
  problemIn(categoryForm()).textContent = ""
  one("[data-category-title]", HTMLElement).textContent = isNew ? "Name a category" : `Rename ${category.name}`
  one("[data-new-category]", HTMLElement).hidden = isNew
}

export const nameAnother = (): void => show(undefined)

const showNames = (): void => {
  const named = namedCategories()
  const button = (does: string, { id, name }: Category): HTMLElement =>
    make("button", "secondary", does, {
      type: "button",
      "aria-label": `${does} ${name}, ${id}`,
      "data-category": String(id),
      "data-does": does,
    })
  const lines = named.map((category) => {
    const number = make("span", "category-number", String(category.id))
    const name = make("span", "pet-name", category.name)
    return make("li", "", [number, name, make("span", "actions", [button("Rename", category), button("Remove", category)])])
  })
  one("[data-categories]", HTMLElement).replaceChildren(...lines)
  one("[data-no-categories]", HTMLElement).hidden = named.length > 0
}

const readNames = async ({ petstore, signal }: Session): Promise<void> => {
  holdCategories(await readCategories(petstore, signal))
  showNames()
}

/** Fills the dialog with the known names and an empty form. */
export const fillCategories = (): void => {
  showNames()
  nameAnother()
}

export const openCategories = (): void => {
  fillCategories()
  dialog().showModal()
}

/** Names a category without a name, or replaces the name that the form showed. */
export const saveCategory = async (session: Session): Promise<void> => {
  const { petstore, signal } = session
  const form = categoryForm()
  const id = int64Of(numberField().value)
  const name = nameField().value
  if (id === undefined) return refuse(form, numberField(), "The number must be a whole number, in digits.")
  if (name.trim() === "") return refuse(form, nameField(), "The category needs a name.")
  const condition = renamed === undefined ? { ifNoneMatch: "*" } : { ifMatch: renamed.etag }
  const save = async (say: (sentence: string) => void) => {
    await changeOnce(
      () => petstore.categories.replace(id, { name }, { signal, ...condition }),
      async (refusal) => isChanged(refusal) && (await petstore.categories.get(id, { signal })).value.name === name,
      () => say(`It is not known yet whether ${name} was saved. This page keeps trying.`),
      signal,
    )
    report(`Category ${id} is called ${name}.`)
    await readNames(session)
    nameAnother()
    nameField().focus()
  }
  await sendForm(session, form, save, async (thrown) => {
    if (!isChanged(thrown)) return sentenceOf(thrown)
    await readNames(session)
    const now = namedCategories().find((category) => category.id === id)
    const wasNew = renamed === undefined
    nameAnother()
    if (now === undefined) return `Another person has removed the name of category ${id}. You wanted ${name}.`
    return wasNew
      ? `Category ${id} is already called ${now.name}: rename it in the list.`
      : `Another person has renamed category ${id}: it is now ${now.name}. You wanted ${name}.`
  })
}

/** Runs the action of a button next to a name. */
export const changeCategory = async (session: Session, target: EventTarget | null): Promise<void> => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>("button[data-category]") : null
  if (button === null || button.ariaDisabled === "true") return
  const { category = "", does } = button.dataset
  const { petstore, signal, onFailure } = session
  button.ariaDisabled = "true"
  const problem = problemIn(categoryForm())
  problem.textContent = ""
  try {
    const result = await petstore.categories.get(BigInt(category), { signal })
    const { value: now, etag } = result
    if (does === "Rename") {
      show(result)
      nameField().focus()
      return
    }
    const question = `Remove the name ${now.name} of category ${now.id}? Its animals stay, and show the number.`
    if (!(await confirmed(question, "Remove", signal))) return
    await petstore.categories.remove(now.id, { signal, ifMatch: etag })
    report(`Removed the name ${now.name} of category ${now.id}.`)
    await readNames(session)
    nameAnother()
    one("#categories-title", HTMLElement).focus()
  } catch (thrown) {
    if (signal.aborted) return
    onFailure(thrown)
    problem.textContent = sentenceOf(thrown)
    if (hasCode(thrown, "category_not_found")) await readNames(session)
  } finally {
    button.ariaDisabled = null
  }
}
