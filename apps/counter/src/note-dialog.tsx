/** The form for the note of a reservation. Saves only if the order has not changed since the form showed it. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Dialog } from "./dialog.tsx"
import { isChanged, sentenceOf } from "./failure.ts"
import { FormEnd, textIn, useSending } from "./form.tsx"
import { longestNote, noteExample, saveNote } from "./note.ts"
import { refresh } from "./refresh.ts"
import { report, sessionNow } from "./report.ts"
import { named, sentence } from "./sentence.ts"
import { now, type State, update } from "./state.ts"

export const NoteDialog = ({ state: { session, dialog, noting } }: { readonly state: State }) => {
  const { isSending, problem, setProblem, send } = useSending()
  const [tries, setTries] = useState(0)
  const close = (): void => {
    setProblem(undefined)
    update({ dialog: undefined, noting: undefined })
  }
  const save = async (form: HTMLFormElement): Promise<void> => {
    if (noting === undefined) return
    const { pet, result } = noting
    const text = textIn(form, "note").trim()
    await send(
      form,
      async (session, say) => {
        const whenUnknown = (whether: ComponentChildren) =>
          say(sentence`It is not known yet whether ${whether}. This page keeps trying.`)
        report(await saveNote(session, pet, result, text, whenUnknown))
        void refresh()
        if (now().noting === noting) close()
      },
      async (thrown) => {
        if (!isChanged(thrown)) return sentenceOf(thrown)
        const { petstore, signal } = sessionNow()
        update({ noting: { ...noting, result: await petstore.orders.get(result.value.id, { signal }) } })
        setTries(tries + 1)
        return sentence`Another person has changed this reservation. The form shows its note as it is now. You wanted ${named(text)}.`
      },
    )
  }
  return (
    <Dialog isOpen={session !== undefined && dialog === "note"} title="note-title" onClose={close}>
      {noting !== undefined && (
        <>
          <h2 id="note-title">Note for {named(noting.pet.name)}</h2>
          <form
            data-note-form
            noValidate
            onSubmit={(event) => {
              event.preventDefault()
              void save(event.currentTarget)
            }}
          >
            <label key={tries}>
              Note{" "}
              <input
                name="note"
                autocomplete="off"
                maxLength={longestNote}
                dir="auto"
                placeholder={noteExample}
                aria-describedby="note-problem"
                defaultValue={noting.result.value.note ?? ""}
              />
            </label>
            <p class="note">Every person with a key can read it.</p>
            <FormEnd id="note-problem" problem={problem} isSending={isSending} action="Save" leave={close} />
          </form>
        </>
      )}
    </Dialog>
  )
}
