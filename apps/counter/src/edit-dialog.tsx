/** The form that corrects a pet. Saves only if the pet has not changed since the form showed it. */
import type { PetCorrection } from "@petstore/client"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { categoryName } from "./category-names.tsx"
import { correct, correctionOf } from "./correction.ts"
import { Dialog } from "./dialog.tsx"
import { isChanged, sentenceOf } from "./failure.ts"
import { FormEnd, useSending } from "./form.tsx"
import { PetFields, readFields } from "./pet-fields.tsx"
import { refresh } from "./refresh.ts"
import { report, sessionNow, untold } from "./report.ts"
import { undoEdit } from "./row-actions.ts"
import { named, sentence } from "./sentence.ts"
import { now, type State, update } from "./state.ts"
import { statusWord } from "./status.ts"

/** Describes the requested changes in words, because the form then shows the current values. */
const wanted = ({ name, categoryId, status }: PetCorrection): ComponentChildren =>
  [
    ...(name === undefined ? [] : [sentence`the name ${named(name)}`]),
    ...(categoryId === undefined ? [] : [sentence`the category ${named(categoryName(categoryId))}`]),
    ...(status === undefined ? [] : [`the status ${statusWord(status ?? undefined)}`]),
  ].map((part, place) => (place === 0 ? part : [", ", part]))

export const EditDialog = ({ state }: { readonly state: State }) => {
  const { isSending, problem, setProblem, send } = useSending()
  const [tries, setTries] = useState(0)
  const { editing } = state
  const close = (): void => {
    setProblem(undefined)
    update({ dialog: undefined, editing: undefined })
  }
  const save = async (form: HTMLFormElement): Promise<void> => {
    if (editing === undefined) return
    const { result } = editing
    const { value: before } = result
    const { id } = before
    let correction: PetCorrection = {}
    await send(
      form,
      async (session, say) => {
        const given = await readFields(session, form, before.status)
        correction = correctionOf(before, given)
        if (Object.keys(correction).length > 0) {
          const whether = sentence`${named(given.name)} was saved`
          await untold(whether, (isUnknown) =>
            correct(session, id, result.etag, correction, () => {
              isUnknown()
              say(sentence`It is not known yet whether ${whether}. This page keeps trying.`)
            }),
          )
          const was = given.name === before.name ? "." : sentence`: it was ${named(before.name)}.`
          const undo = () => undoEdit(before, given)
          report(sentence`Saved ${named(given.name)}, animal ${id}${was}`, { undo })
          void refresh()
        }
        // The dialog may be showing another pet by now.
        if (now().editing === editing) close()
      },
      async (thrown) => {
        if (isChanged(thrown)) {
          const { petstore, signal } = sessionNow()
          update({ editing: { ...editing, result: await petstore.getPet(id, { signal }) } })
          setTries(tries + 1)
          return sentence`Another person has changed this animal. The form shows it as it is now, and your changes are not saved. You wanted ${wanted(correction)}.`
        }
        report(sentence`${named(before.name)} was not saved: ${sentenceOf(thrown)}`, { kind: "failed" })
        return sentenceOf(thrown)
      },
    )
  }
  return (
    <Dialog isOpen={state.session !== undefined && state.dialog === "edit"} title="edit-title" onClose={close}>
      {editing !== undefined && (
        <>
          <h2 id="edit-title" data-edit-title>
            Edit {named(editing.result.value.name)}, animal {editing.result.value.id}
          </h2>
          <form
            data-edit
            noValidate
            onSubmit={(event) => {
              event.preventDefault()
              void save(event.currentTarget)
            }}
          >
            <PetFields
              key={`${editing.result.value.id} ${tries}`}
              pet={editing.result.value}
              problem="edit-problem"
              wrong={problem?.field}
              hasFixedStatus={editing.order !== undefined}
            />
            {editing.order !== undefined && (
              <p class="note" data-held>
                {editing.order.status === "placed"
                  ? "The animal is reserved: sell it or cancel the reservation before you change the status."
                  : "The animal was sold here. To make it for sale again, use Take back."}
              </p>
            )}
            <FormEnd id="edit-problem" problem={problem} isSending={isSending} action="Save" leave={close} />
          </form>
        </>
      )}
    </Dialog>
  )
}
