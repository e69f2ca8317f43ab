/** What the page says over everything else. The dialog on top has it, because a browser ignores presses elsewhere. */
import { clock } from "./clock.ts"
import { textIn } from "./form.tsx"
import { longestNote, noteExample } from "./note.ts"
import { putOnPaper } from "./paper.ts"
import { useSettled } from "./press.ts"
import { hideLatest, messageKey } from "./report.ts"
import { type State, topOf } from "./state.ts"

interface ForWhomProps {
  readonly save: (text: string) => Promise<void>
  readonly isSettled: boolean
}

/** Asks for whom an animal has been reserved. */
const ForWhom = ({ save, isSettled }: ForWhomProps) => (
  <form
    class="for-whom"
    noValidate
    onSubmit={(event) => {
      event.preventDefault()
      const text = textIn(event.currentTarget, "for").trim()
      hideLatest()
      if (text !== "") void save(text)
    }}
  >
    <label for="for-whom">For whom?</label>
    <input id="for-whom" name="for" autocomplete="off" maxLength={longestNote} dir="auto" placeholder={noteExample} />
    <button class="secondary" type="submit" aria-disabled={!isSettled}>
      Save
    </button>
  </form>
)

interface NoticesProps {
  readonly state: State
  /** Whether presses reach this place. Without it, only the element stays that lets assistive technology notice a message. */
  readonly isOnTop: boolean
}

/** The latest message, and a notice while the data is old. They lie over the page, so that nothing moves. */
export const Notices = ({ state, isOnTop }: NoticesProps) => {
  const { latest, trouble, session, freshAt } = state
  const isSettled = useSettled(latest)
  const { undo, note, labels } = latest ?? {}
  // A message that stays would cover the buttons of a form: it waits below.
  const isShown = isOnTop && (note === undefined || [undefined, "pet"].includes(topOf(state)))
  const old = freshAt === undefined ? "" : ` The data shown is old: as of ${clock.format(freshAt)}.`
  return (
    <div class="notices">
      <div role="status">
        {isShown && latest !== undefined && (
          <div class={`latest ${latest.kind}`} data-latest data-about={latest.petId}>
            <p>{latest.content}</p>
            {note !== undefined && <ForWhom save={note} isSettled={isSettled} />}
            {labels !== undefined && (
              <button
                class="secondary"
                type="button"
                aria-disabled={!isSettled}
                onClick={() => putOnPaper({ kind: "labels", rows: labels.map((pet) => ({ pet })), note: "" })}
              >
                Print labels
              </button>
            )}
            {undo !== undefined && (
              <button
                class="secondary"
                type="button"
                aria-disabled={!isSettled}
                onClick={() => {
                  hideLatest()
                  void undo()
                }}
              >
                Undo
              </button>
            )}
            {(undo ?? note ?? labels) !== undefined && (
              <>
                <p class="keys">
                  <kbd>{messageKey}</kbd>: to this message
                </p>
                <button class="icon" type="button" aria-label="Close the message" onClick={hideLatest}>
                  <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
                    <path stroke="currentColor" stroke-width="2" d="M6 6l12 12M18 6 6 18" />
                  </svg>
                </button>
              </>
            )}
          </div>
        )}
      </div>
      {isOnTop && (
        <p class="notice" data-trouble role="alert" hidden={trouble === "" || session === undefined}>
          {trouble === "" ? "" : trouble + old}
        </p>
      )}
    </div>
  )
}
