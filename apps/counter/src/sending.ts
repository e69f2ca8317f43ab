import { one } from "@petstore/docs/elements"
import { sentenceOf } from "./failure.ts"
import { problemIn, unmark } from "./pet-fields.ts"
import type { Session } from "./session.ts"

/**
 * Sends the content of a form. The button is disabled until the outcome is known, so a form is not sent twice. A failure is
 * shown in the form, unless the user has left the page.
 *
 * @param send     makes the change; its argument is a function that shows a sentence in the form
 * @param explain  returns the sentence for a failure
 */
export const sendForm = async (
  { signal, onFailure }: Session,
  form: HTMLFormElement,
  send: (say: (sentence: string) => void) => Promise<void>,
  explain: (thrown: unknown) => Promise<string>,
): Promise<void> => {
  const button = one("button[type=submit]", HTMLButtonElement, form)
  if (button.disabled) return
  button.disabled = true
  const say = (sentence: string): void => {
    problemIn(form).textContent = sentence
  }
  unmark(form)
  say("")
  try {
    await send(say)
    say("")
  } catch (thrown) {
    say("")
    if (signal.aborted) return
    onFailure(thrown)
    say(await explain(thrown).catch(sentenceOf))
  } finally {
    button.disabled = false
  }
}
