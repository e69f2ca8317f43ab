import { one } from "@petstore/pages/elements"
import { sentenceOf } from "./failure.ts"
import { problemIn, unmark } from "./pet-fields.ts"
import type { Session } from "./session.ts"

/**
 * Sends the content of a form. The button is disabled until the outcome is known, so a form is not sent twice. `send` makes the
 * change, and can show a sentence in the form meanwhile. A failure is shown as `explain` describes it, unless the user has left
 * the page.
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
    await send(say).finally(() => say(""))
  } catch (thrown) {
    if (signal.aborted) return
    onFailure(thrown)
    say(await explain(thrown).catch(sentenceOf))
  } finally {
    button.disabled = false
  }
}
