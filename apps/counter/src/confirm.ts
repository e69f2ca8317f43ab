/** Asks once before something that cannot be undone. */
import { one } from "@petstore/docs/elements"

/** Aborts the previous question. */
let before: Promise<unknown> = Promise.resolve()

/**
 * Opens the dialog, after the current question, and resolves with whether the person agrees. Escape refuses.
 *
 * @param question names the pet @param yes the label of the button that agrees @param signal of the session: no question after signing out
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
