/** The form for the note of a reservation. Saves only if the order has not changed since the form showed it. */
import { useState } from "preact/hooks"
import { Dialog } from "./dialog.tsx"
import { isChanged, sentenceOf } from "./failure.ts"
import { FormEnd, textIn, useSending } from "./form.tsx"
import { refresh } from "./refresh.ts"
import { report, sessionNow, untold } from "./report.ts"
import { named, sentence } from "./sentence.ts"
import { now, type State, update } from "./state.ts"
import { changeOnce } from "./until-known.ts"

/** The length of the longest note that the service accepts, in code points. */
const longestNote = 256

export const NoteDialog = ({ state: { session, dialog, noting } }: { readonly state: State }) => {
  const { isSending, problem, setProblem, send } = useSending()
  const [tries, setTries] = useState(0)
  const close = (): void => {
    setProblem(undefined)
    update({ dialog: undefined, noting: undefined })
  }
  const save = async (form: HTMLFormElement): Promise<void> => {
    if (noting === undefined) return
    const { id } = noting.result.value
    const text = textIn(form, "note").trim()
    const note = text === "" ? null : text
    const name = named(noting.pet.name)
    const read = () => sessionNow().petstore.orders.get(id, { signal: sessionNow().signal })
    await send(
      form,
      async ({ petstore, signal }, say) => {
        const whether = sentence`the note for ${name} was saved`
        await untold(whether, (isUnknown) =>
          changeOnce(
            () => petstore.orders.change(id, { note }, { signal, ifMatch: noting.result.etag }),
            async (refusal) => isChanged(refusal) && (await read()).value.note === (note ?? undefined),
            () => {
              isUnknown()
              say(sentence`It is not known yet whether ${whether}. This page keeps trying.`)
            },
            signal,
          ),
        )
        report(note === null ? sentence`Removed the note for ${name}.` : sentence`The note for ${name} is ${named(note)}.`)
        void refresh()
        if (now().noting === noting) close()
      },
      async (thrown) => {
        if (!isChanged(thrown)) return sentenceOf(thrown)
        update({ noting: { ...noting, result: await read() } })
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
                placeholder="until Saturday, blue lead"
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
