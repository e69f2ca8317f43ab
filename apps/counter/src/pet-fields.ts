/** The fields of a pet, in the forms that add and correct pets. */
import type { NewPet, Pet } from "@petstore/client"
import { all, make, one } from "@petstore/pages/elements"
import { namedCategories } from "./category-names.ts"
import { int64Of } from "./int64.ts"

/** The option for a category that is entered by number. */
const byNumber = "number"

export const nameIn = (form: HTMLFormElement) => one("[name=name]", HTMLInputElement, form)
const categoryIn = (form: HTMLFormElement) => one("[name=category]", HTMLSelectElement, form)
const numberIn = (form: HTMLFormElement) => one("[name=categoryId]", HTMLInputElement, form)
/** The select box for the status. Its value is `""` for a pet without a status. */
export const statusIn = (form: HTMLFormElement) => one("[name=status]", HTMLSelectElement, form)
export const problemIn = (form: HTMLFormElement) => one("[data-problem]", HTMLElement, form)

const showNumber = (form: HTMLFormElement): void => {
  one("[data-category-number]", HTMLElement, form).hidden = categoryIn(form).value !== byNumber
}

/** Puts the fields into a form. Called once, when the page is loaded. */
export const makeFields = (form: HTMLFormElement): void => {
  const { content } = one("[data-pet-fields]", HTMLTemplateElement)
  one("[data-fields]", HTMLElement, form).replaceChildren(content.cloneNode(true))
  for (const field of [nameIn(form), categoryIn(form), numberIn(form)]) field.setAttribute("aria-describedby", problemIn(form).id)
  categoryIn(form).addEventListener("change", () => showNumber(form))
}

/** Offers the categories that currently have names, and keeps the selection. */
export const offerCategories = (form: HTMLFormElement): void => {
  const select = categoryIn(form)
  const { value } = select
  const named = namedCategories()
  const option = (text: string, of: string): HTMLElement => make("option", "", text, { value: of })
  const isShared = (name: string): boolean => named.filter((category) => category.name === name).length > 1
  select.replaceChildren(
    option("Choose…", ""),
    ...named.map(({ id, name }) => option(isShared(name) ? `${name} (${id})` : name, String(id))),
    option("By its number", byNumber),
  )
  select.value = named.length === 0 ? byNumber : value
  if (select.selectedIndex < 0) select.value = ""
  one("[data-category]", HTMLElement, form).hidden = named.length === 0
  showNumber(form)
}

export const fillFields = (form: HTMLFormElement, { name, categoryId, status }: Pet): void => {
  nameIn(form).value = name
  categoryIn(form).value = namedCategories().some(({ id }) => id === categoryId) ? String(categoryId) : byNumber
  numberIn(form).value = String(categoryId)
  statusIn(form).value = status ?? ""
  showNumber(form)
}

export const unmark = (form: HTMLFormElement): void => {
  for (const field of all("[aria-invalid]", form)) field.removeAttribute("aria-invalid")
}

export const refuse = (form: HTMLFormElement, field: HTMLElement, why: string): undefined => {
  unmark(form)
  problemIn(form).textContent = why
  field.setAttribute("aria-invalid", "true")
  field.focus()
}

/** Reads the values of the fields. If a field is invalid, marks it and returns `undefined`. */
export const readFields = (form: HTMLFormElement): NewPet | undefined => {
  const [name, category, number] = [nameIn(form), categoryIn(form), numberIn(form)]
  const isByNumber = category.value === byNumber
  const categoryId = int64Of(isByNumber ? number.value : category.value)
  if (name.value.trim() === "") return refuse(form, name, "The animal needs a name.")
  if (categoryId === undefined) {
    return isByNumber
      ? refuse(form, number, "The category must be a whole number, in digits.")
      : refuse(form, category, "The animal needs a category.")
  }
  const { value: status } = statusIn(form)
  // Safe: the page only offers the three statuses and an empty one.
  return { name: name.value, categoryId, ...(status === "" ? {} : { status: status as NonNullable<NewPet["status"]> }) }
}
