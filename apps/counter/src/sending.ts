/** Sends the content of a form to the service. */
import { one } from "@petstore/docs/elements"
import { problemIn } from "./pet-fields.ts"

/**
 * Sends the content of a form. The button is disabled until the outcome is known, so a form is not sent twice. A failure is
 * shown in the form.
 *
 * @param send     makes the change
 * @param onFailed returns the sentence to show in the form, or `undefined` if the person has left the page
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
