/** The fields of a pet, in the forms that add and correct pets. */
import type { NewPet, Pet } from "@petstore/client"
import { useState } from "preact/hooks"
import { isChanged } from "./failure.ts"
import { Refusal, textIn } from "./form.tsx"
import { int64Of } from "./int64.ts"
import { now, type Session } from "./state.ts"
import { statusChoices } from "./status.ts"
import { changeOnce } from "./until-known.ts"

/** The options for a category that is entered by number, and for one that gets a name now. */
const byNumber = "number"
const byName = "new"

interface Props {
  /** The pet to correct. */
  readonly pet?: Pet
  /** The identifier of the form's problem. */
  readonly problem: string
  /** The name of the field that is wrong. */
  readonly wrong: string | undefined
  /** Whether an order decides the status. */
  readonly hasFixedStatus?: boolean
}

export const PetFields = ({ pet, problem, wrong, hasFixedStatus = false }: Props) => {
  const { categories } = now()
  const isNamed = categories.some(({ id }) => id === pet?.categoryId)
  const first = pet === undefined ? "" : isNamed ? String(pet.categoryId) : byNumber
  const [chosen, choose] = useState(first)
  // Before any category has a name, the first one gets it here.
  const category = chosen === "" && categories.length === 0 ? byName : chosen
  const field = (name: string) => ({ name, "aria-describedby": problem, "aria-invalid": wrong === name ? true : undefined })
  const isShared = (name: string): boolean => categories.filter((other) => other.name === name).length > 1
  return (
    <>
      <label>
        Name <input {...field("name")} autocomplete="off" maxLength={1024} dir="auto" defaultValue={pet?.name ?? ""} />
      </label>
      <label>
        Category{" "}
        <select {...field("category")} value={category} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {categories.length > 0 && <option value="">Choose…</option>}
          {categories.map(({ id, name }) => (
            <option key={id} value={String(id)} dir="auto">
              {isShared(name) ? `${name} (${id})` : name}
            </option>
          ))}
          <option value={byName}>A new one</option>
          <option value={byNumber}>By its number</option>
        </select>
      </label>
      {category === byName && (
        <label>
          New category <input {...field("categoryName")} autocomplete="off" maxLength={1024} dir="auto" />
        </label>
      )}
      {category === byNumber && (
        <label>
          Category number{" "}
          <input {...field("categoryId")} inputMode="numeric" autocomplete="off" defaultValue={String(pet?.categoryId ?? "")} />
        </label>
      )}
      <label>
        Status{" "}
        <select {...field("status")} disabled={hasFixedStatus}>
          {statusChoices.map(([status, word]) => (
            <option key={status} value={status} selected={status === (pet === undefined ? "available" : (pet.status ?? ""))}>
              {hasFixedStatus && status === "pending" ? "reserved" : word}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}

/** Gives a name to the smallest number that has none and that no pet carries, unless a category has this name already. */
export const categoryNamed = async ({ petstore, signal }: Session, name: string): Promise<bigint> => {
  const { categories } = now()
  const same = categories.find((category) => category.name === name)
  if (same !== undefined) return same.id
  for (let id = 1n; ; id += 1n) {
    if (categories.some((category) => category.id === id)) continue
    const { value } = await petstore.listPets({ categoryId: id, limit: 1 }, { signal })
    if (value.items.length > 0) continue
    try {
      await changeOnce(
        () => petstore.categories.replace(id, { name }, { signal, ifNoneMatch: "*" }),
        async (refusal) => isChanged(refusal) && (await petstore.categories.get(id, { signal })).value.name === name,
        () => {},
        signal,
      )
      return id
    } catch (thrown) {
      // Another person has named this number in the meantime.
      if (!isChanged(thrown)) throw thrown
    }
  }
}

/** Reads the values of the fields, and names a new category. Throws a `Refusal` if a field is wrong. */
export const readFields = async (session: Session, form: HTMLFormElement, fixed?: Pet["status"]): Promise<NewPet> => {
  const name = textIn(form, "name")
  const category = textIn(form, "category")
  const statusText = textIn(form, "status")
  const status =
    form.elements.namedItem("status") instanceof HTMLSelectElement && !new FormData(form).has("status")
      ? fixed
      : statusChoices.map(([value]) => value).find((value) => value !== "" && value === statusText)
  if (name.trim() === "") throw new Refusal("The animal needs a name.", "name")
  const rest = status === undefined || status === "" ? {} : { status }
  if (category === byName) {
    const categoryText = textIn(form, "categoryName").trim()
    if (categoryText === "") throw new Refusal("The animal needs a category.", "categoryName")
    return { name, categoryId: await categoryNamed(session, categoryText), ...rest }
  }
  const isByNumber = category === byNumber
  const categoryId = int64Of(isByNumber ? textIn(form, "categoryId") : category)
  if (categoryId !== undefined) return { name, categoryId, ...rest }
  throw isByNumber
    ? new Refusal("The category must be a whole number, in digits.", "categoryId")
    : new Refusal("The animal needs a category.", "category")
}
