/** The form that adds a pet. The input stays in the form until the pet is added or discarded. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Dialog } from "./dialog.tsx"
import { sentenceOf } from "./failure.ts"
import { Problem, useSending } from "./form.tsx"
import { PetFields, readFields } from "./pet-fields.tsx"
import { refresh } from "./refresh.ts"
import { report, untold } from "./report.ts"
import { named, sentence } from "./sentence.ts"
import { type State, update } from "./state.ts"
import { createOnce } from "./until-known.ts"

export const AddDialog = ({ state }: { readonly state: State }) => {
  const { isSending, problem, setProblem, send } = useSending()
  const [added, setAdded] = useState<ComponentChildren>("")
  /** Another number empties the form. */
  const [edition, setEdition] = useState(0)
  const close = (): void => update({ dialog: undefined })
  const discard = (): void => {
    setEdition(edition + 1)
    setAdded("")
    setProblem(undefined)
    close()
  }
  const add = async (of: HTMLFormElement): Promise<void> => {
    let name = ""
    await send(
      of,
      async (session, say) => {
        const given = await readFields(session, of)
        name = given.name
        setAdded("")
        const whether = sentence`${named(name)} was added`
        const { value: pet } = await untold(whether, (isUnknown) =>
          createOnce(
            (options) => session.petstore.createPet(given, options),
            () => {
              isUnknown()
              say(sentence`It is not known yet whether ${whether}. This page keeps trying, and adds at most one animal.`)
            },
            session.signal,
          ),
        )
        const done = sentence`Added ${named(pet.name)} as animal ${pet.id}.`
        report(done)
        // The user expects the animal in the list.
        void refresh({ isAnew: true })
        const field = of.elements.namedItem("name")
        // The user may already be entering the next pet.
        if (!(field instanceof HTMLInputElement) || field.value !== name) return
        if (!new FormData(of).has("another")) return discard()
        setAdded(done)
        // The next pet often has the same category and status.
        field.value = ""
        field.focus()
      },
      async (thrown) => {
        report(sentence`${named(name)} was not added: ${sentenceOf(thrown)}`, { kind: "failed" })
        return sentenceOf(thrown)
      },
    )
  }
  return (
    <Dialog isOpen={state.session !== undefined && state.dialog === "add"} title="add-title" onClose={close}>
      <h2 id="add-title">Add an animal</h2>
      <form
        key={edition}
        data-add
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void add(event.currentTarget)
        }}
      >
        <PetFields problem="add-problem" wrong={problem?.field} />
        <label class="check">
          <input type="checkbox" name="another" /> Add another one after this
        </label>
        <p class="note" data-added role="status">
          {added}
        </p>
        <Problem id="add-problem" problem={problem} />
        <div class="choices">
          <button class="secondary" type="button" onClick={discard}>
            {added === "" ? "Discard" : "Done"}
          </button>
          <button class="primary" type="submit" aria-disabled={isSending}>
            Add
          </button>
        </div>
      </form>
    </Dialog>
  )
}
