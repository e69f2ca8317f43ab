/** A form whose content is on its way to the service. */
import { one } from "@petstore/docs/elements"
import { problemIn } from "./pet-fields.ts"

/**
 * Sends what a form holds. The button stays disabled until its outcome is known; a form that is on its way is not sent again.
 * A failure is shown in the form.
 *
 * @param send     carries it out
 * @param onFailed gives the sentence that the form shows, or `undefined` for a page that is left
 */
export const sendForm = async (
  form: HTMLFormElement,
  send: () => Promise<void>,
  onFailed: (thrown: unknown) => Promise<string | undefined> | string | undefined,
): Promise<void> => {
  const button = one("button[type=submit]", HTMLButtonElement, form)
  if (button.disabled) return
  button.disabled = true
  const problem = problemIn(form)
  problem.textContent = ""
  try {
    await send()
    problem.textContent = ""
  } catch (thrown) {
    problem.textContent = (await onFailed(thrown)) ?? ""
  } finally {
    button.disabled = false
  }
}
