/** The dialog that names categories. */
import type { Category, Result } from "@petstore/client"
import { useState } from "preact/hooks"
import { Dialog } from "./dialog.tsx"
import { hasCode, isChanged, sentenceOf } from "./failure.ts"
import { Problem, Refusal, textIn, useSending } from "./form.tsx"
import { int64Of } from "./int64.ts"
import { refresh } from "./refresh.ts"
import { confirmed, report, sessionNow, untold } from "./report.ts"
import { named, sentence } from "./sentence.ts"
import { isRefused } from "./session.ts"
import { now, type State, update } from "./state.ts"
import { changeOnce } from "./until-known.ts"

const nextNumber = (): string => String(now().categories.reduce((most, { id }) => (id > most ? id : most), 0n) + 1n)

const nameOf = (id: bigint): string | undefined => now().categories.find((category) => category.id === id)?.name

export const CategoriesDialog = ({ state }: { readonly state: State }) => {
  const { isSending, problem, setProblem, send } = useSending()
  /** The category that the form renames, or `undefined` if the form names a category that has no name yet. */
  const [renamed, rename] = useState<Result<Category> | undefined>(undefined)
  /** Another number fills the form anew. */
  const [edition, setEdition] = useState(0)
  const [isBusy, setBusy] = useState(false)
  const close = (): void => update({ dialog: undefined })
  const fill = (result: Result<Category> | undefined): void => {
    rename(result)
    setEdition(edition + 1)
    setProblem(undefined)
  }

  /** Names a category without a name, or replaces the name that the form showed. */
  const save = (form: HTMLFormElement): Promise<void> => {
    const id = int64Of(textIn(form, "id"))
    const name = textIn(form, "name")
    const condition = renamed === undefined ? { ifNoneMatch: "*" } : { ifMatch: renamed.etag }
    return send(
      form,
      async ({ petstore, signal }, say) => {
        if (id === undefined) throw new Refusal("The number must be a whole number, in digits.", "id")
        if (name.trim() === "") throw new Refusal("The category needs a name.", "name")
        const whether = sentence`${named(name)} was saved`
        await untold(whether, (isUnknown) =>
          changeOnce(
            () => petstore.categories.replace(id, { name }, { signal, ...condition }),
            async (refusal) => isChanged(refusal) && (await petstore.categories.get(id, { signal })).value.name === name,
            () => {
              isUnknown()
              say(sentence`It is not known yet whether ${whether}. This page keeps trying.`)
            },
            signal,
          ),
        )
        report(sentence`Category ${id} is called ${named(name)}.`)
        await refresh()
        fill(undefined)
      },
      async (thrown) => {
        if (!isChanged(thrown) || id === undefined) return sentenceOf(thrown)
        await refresh()
        const is = nameOf(id)
        fill(undefined)
        if (is === undefined) return sentence`Another person has removed the name of category ${id}. You wanted ${named(name)}.`
        return renamed === undefined
          ? sentence`Category ${id} is already called ${named(is)}: rename it in the list.`
          : sentence`Another person has renamed category ${id}: it is now ${named(is)}. You wanted ${named(name)}.`
      },
    )
  }

  /** Runs the action of a button next to a name. */
  const change = async ({ id }: Category, does: "rename" | "remove"): Promise<void> => {
    const { petstore, signal } = sessionNow()
    setBusy(true)
    setProblem(undefined)
    try {
      const result = await petstore.categories.get(id, { signal })
      if (does === "rename") return fill(result)
      const name = named(result.value.name)
      const question = sentence`Remove the name ${name} of category ${id}? Its animals stay, and show the number.`
      if (!(await confirmed(question, "Remove", signal))) return
      await petstore.categories.remove(id, { signal, ifMatch: result.etag })
      report(sentence`Removed the name ${name} of category ${id}.`)
      await refresh()
      fill(undefined)
    } catch (thrown) {
      if (signal.aborted || isRefused(thrown)) return
      setProblem(new Refusal(sentenceOf(thrown)))
      if (hasCode(thrown, "category_not_found")) await refresh()
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog isOpen={state.session !== undefined && state.dialog === "categories"} title="categories-title" onClose={close}>
      <h2 id="categories-title" tabIndex={-1}>
        Categories
      </h2>
      {state.categories.length === 0 && (
        <p class="note">
          No category has a name yet. Give names to the category numbers of your animals, and the forms will offer these names.
        </p>
      )}
      <ul class="categories" data-categories>
        {state.categories.map((category) => (
          <li key={category.id}>
            <span class="category-number">{category.id}</span>
            {named(category.name)}
            <span class="choices">
              {(["rename", "remove"] as const).map((does) => (
                <button
                  key={does}
                  class="secondary"
                  type="button"
                  aria-disabled={isBusy}
                  aria-label={`${does === "rename" ? "Rename" : "Remove"} ${category.name}, ${category.id}`}
                  onClick={() => void change(category, does)}
                >
                  {does === "rename" ? "Rename" : "Remove"}
                </button>
              ))}
            </span>
          </li>
        ))}
      </ul>
      <form
        data-category-form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void save(event.currentTarget)
        }}
      >
        <h3 data-category-title>{renamed === undefined ? "Name a category" : sentence`Rename ${named(renamed.value.name)}`}</h3>
        <div class="pair" key={edition}>
          <label>
            Number{" "}
            <input
              name="id"
              inputMode="numeric"
              autocomplete="off"
              aria-describedby="category-problem"
              aria-invalid={problem?.field === "id"}
              readOnly={renamed !== undefined}
              defaultValue={renamed === undefined ? nextNumber() : String(renamed.value.id)}
            />
          </label>
          <label>
            Name{" "}
            <input
              name="name"
              autocomplete="off"
              maxLength={1024}
              dir="auto"
              aria-describedby="category-problem"
              aria-invalid={problem?.field === "name"}
              defaultValue={renamed?.value.name ?? ""}
              // The form is filled anew after the user has pressed Rename or Save.
              ref={edition === 0 ? null : (field) => field?.focus()}
            />
          </label>
        </div>
        <Problem id="category-problem" problem={problem} />
        <div class="choices">
          <button class="primary" type="submit" aria-disabled={isSending}>
            Save the name
          </button>
          {renamed !== undefined && (
            <button class="secondary" type="button" onClick={() => fill(undefined)}>
              Name another one
            </button>
          )}
          <button class="secondary" type="button" onClick={close}>
            Close
          </button>
        </div>
      </form>
    </Dialog>
  )
}
