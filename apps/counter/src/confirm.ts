/** Asks for confirmation before an action that cannot be undone. */
import { one } from "@petstore/pages/elements"

/** Settles when the previous question is answered. */
let before: Promise<unknown> = Promise.resolve()

/**
 * Opens the dialog after any current question is answered. Resolves to `true` if the user confirms with the button labelled `yes`.
 * Escape means no. No question is asked after `signal` aborts, when the user signs out.
 */
export const confirmed = (question: string, yes: string, signal: AbortSignal): Promise<boolean> => {
  const asked = before.then(() => !signal.aborted && ask(question, yes))
  before = asked
  return asked
}

const ask = (question: string, yes: string): Promise<boolean> => {
  const dialog = one("[data-confirm]", HTMLDialogElement)
  one("[data-question]", HTMLElement, dialog).textContent = question
  one("[value=yes]", HTMLButtonElement, dialog).textContent = yes
  dialog.returnValue = ""
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true })
  })
}
