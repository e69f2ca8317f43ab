/** Sends the content of a form to the service. */
import { one } from "@petstore/docs/elements"
import { problemIn } from "./pet-fields.ts"

/**
 * Sends the content of a form. The button stays disabled until the outcome is known, so that a form is not sent twice. A failure
 * is shown in the form.
 *
 * @param send     carries it out
 * @param onFailed returns the sentence for the form, or `undefined` if the page was left
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
