/** Asks once before something that cannot be undone. */
import { one } from "@petstore/docs/elements"

/**
 * Opens the dialog, and resolves with whether the person agrees. Escape refuses.
 *
 * @param question  names the animal
 * @param yes       what the button says that agrees
 */
export const confirmed = (question: string, yes: string): Promise<boolean> => {
  const dialog = one("[data-confirm]", HTMLDialogElement)
  one("[data-question]", HTMLElement, dialog).textContent = question
  one("[value=yes]", HTMLButtonElement, dialog).textContent = yes
  dialog.returnValue = ""
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true })
  })
}
