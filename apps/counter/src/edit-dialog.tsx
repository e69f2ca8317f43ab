/** The form that corrects a pet. Saves only if the pet has not changed since the form showed it. */
import type { NewPet, Pet, PetCorrection } from "@petstore/client"
import { Fragment } from "preact"
import { useState } from "preact/hooks"
import { categoryName } from "./category-names.tsx"
import { Dialog } from "./dialog.tsx"
import { isChanged, sentenceOf } from "./failure.ts"
import { Problem, useSending } from "./form.tsx"
import { Name } from "./name.tsx"
import { PetFields, readFields } from "./pet-fields.tsx"
import { refresh } from "./refresh.ts"
import { report, sessionNow, untold } from "./report.ts"
import { perform } from "./row-actions.tsx"
import { now, type Session, type State, update } from "./state.ts"
import { changeOnce } from "./until-known.ts"

const correctionOf = (pet: NewPet, { name, categoryId, status }: NewPet): PetCorrection => ({
  ...(name === pet.name ? {} : { name }),
  ...(categoryId === pet.categoryId ? {} : { categoryId }),
  ...(status === pet.status ? {} : { status: status ?? null }),
})

/** Describes the requested changes in words, because the form then shows the current values. */
const Wanted = ({ correction: { name, categoryId, status } }: { readonly correction: PetCorrection }) => {
  const parts = [
    ...(name === undefined
      ? []
      : [
          <>
            the name <Name of={name} />
          </>,
        ]),
    ...(categoryId === undefined
      ? []
      : [
          <>
            the category <Name of={categoryName(categoryId)} />
          </>,
        ]),
    ...(status === undefined ? [] : [<>the status {status ?? "none"}</>]),
  ]
  return (
    <>
      {parts.map((part, place) => (
        <Fragment key={place}>
          {place > 0 && ", "}
          {part}
        </Fragment>
      ))}
    </>
  )
}

/** Makes a correction under the tag of the pet as the user saw it. Returns the tag afterwards. */
const correct = async (
  { petstore, signal }: Session,
  id: bigint,
  etag: string | undefined,
  correction: PetCorrection,
  isUnknown: () => void,
): Promise<string | undefined> => {
  let after: string | undefined
  await changeOnce(
    async () => {
      after = (await petstore.correctPet(id, correction, { signal, ifMatch: etag })).etag
    },
    async (refusal) => {
      if (!isChanged(refusal)) return false
      const { value, etag: tag } = await petstore.getPet(id, { signal })
      after = tag
      const missing = correctionOf(value, { ...value, ...wantedOf(value, correction) })
      return Object.keys(missing).length === 0
    },
    isUnknown,
    signal,
  )
  return after
}

/** The values that a correction leads to. */
const wantedOf = (pet: Pet, { name = pet.name, categoryId = pet.categoryId, status }: PetCorrection): NewPet => {
  const wanted = status === undefined ? pet.status : (status ?? undefined)
  return { name, categoryId, ...(wanted === undefined ? {} : { status: wanted }) }
}

/** Takes a correction back, unless another person has changed the pet since. */
const undoing = (before: Pet, given: NewPet, etag: string | undefined) => () =>
  perform(before, async (session) => {
    const back = correctionOf(given, before)
    await untold(
      <>
        the edit of <Name of={before.name} /> was undone
      </>,
      (isUnknown) => correct(session, before.id, etag, back, isUnknown),
    )
    return {
      content: (
        <>
          Undone: <Name of={before.name} /> is as it was before the edit.
        </>
      ),
    }
  })

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
          const whether = (
            <>
              <Name of={given.name} /> was saved
            </>
          )
          const etag = await untold(whether, (isUnknown) =>
            correct(session, id, result.etag, correction, () => {
              isUnknown()
              say(<>It is not known yet whether {whether}. This page keeps trying.</>)
            }),
          )
          const was =
            given.name === before.name ? (
              "."
            ) : (
              <>
                : it was <Name of={before.name} />.
              </>
            )
          report(
            <>
              Saved <Name of={given.name} />, animal {id}
              {was}
            </>,
            { undo: undoing(before, given, etag) },
          )
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
          return (
            <>
              Another person has changed this animal. The form shows it as it is now, and your changes are not saved. You wanted{" "}
              <Wanted correction={correction} />.
            </>
          )
        }
        report(
          <>
            <Name of={before.name} /> was not saved: {sentenceOf(thrown)}
          </>,
          { kind: "failed" },
        )
        return sentenceOf(thrown)
      },
    )
  }
  return (
    <Dialog isOpen={state.session !== undefined && state.dialog === "edit"} title="edit-title" onClose={close}>
      {editing !== undefined && (
        <>
          <h2 id="edit-title" data-edit-title>
            Edit <Name of={editing.result.value.name} />, animal {editing.result.value.id}
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
                Order {editing.order.id} holds the animal: complete or cancel it before you change the status.
              </p>
            )}
            <Problem id="edit-problem" problem={problem} />
            <div class="choices">
              <button class="primary" type="submit" disabled={isSending}>
                Save
              </button>
              <button class="secondary" type="button" onClick={close}>
                Go back
              </button>
            </div>
          </form>
        </>
      )}
    </Dialog>
  )
}
