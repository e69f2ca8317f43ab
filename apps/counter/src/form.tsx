/** What the page's forms share: they are sent once at a time, and say what is wrong. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { sentenceOf } from "./failure.ts"
import { sessionNow } from "./report.ts"
import { isRefused } from "./session.ts"
import type { Session } from "./state.ts"

/** Why an input cannot be sent. */
export class Refusal {
  readonly content: ComponentChildren
  /** The name of the field that is wrong. */
  readonly field: string | undefined
  constructor(content: ComponentChildren, field?: string) {
    this.content = content
    this.field = field
  }
}

export interface Sending {
  readonly isSending: boolean
  readonly problem: Refusal | undefined
  readonly setProblem: (problem: Refusal | undefined) => void
  /**
   * Sends the content of a form. `change` may throw a `Refusal`, or any failure, which `explain` describes. Until the outcome is
   * known, the form is not sent again. A failure is not shown if the user has left the page.
   */
  readonly send: (
    form: HTMLFormElement,
    change: (session: Session, say: (content: ComponentChildren) => void) => Promise<void>,
    explain?: (thrown: unknown) => Promise<ComponentChildren>,
  ) => Promise<void>
}

export const useSending = (): Sending => {
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<Refusal | undefined>(undefined)
  const refuse = (form: HTMLFormElement, refusal: Refusal): void => {
    setProblem(refusal)
    const field = refusal.field === undefined ? null : form.elements.namedItem(refusal.field)
    if (field instanceof HTMLElement) field.focus()
  }
  const send: Sending["send"] = async (form, change, explain = async (thrown) => sentenceOf(thrown)) => {
    if (isSending) return
    const session = sessionNow()
    setSending(true)
    setProblem(undefined)
    try {
      await change(session, (content) => setProblem(new Refusal(content))).finally(() => setProblem(undefined))
    } catch (thrown) {
      if (thrown instanceof Refusal) refuse(form, thrown)
      else if (!session.signal.aborted && !isRefused(thrown)) setProblem(new Refusal(await explain(thrown).catch(sentenceOf)))
    } finally {
      setSending(false)
    }
  }
  return { isSending, problem, setProblem, send }
}

export const Problem = ({ id, problem }: { readonly id: string; readonly problem: Refusal | undefined }) => (
  <p class="problem" id={id} data-problem role="alert">
    {problem?.content}
  </p>
)

/** The end of a dialog's form: what went wrong, and the buttons that send the form or leave it. */
export const FormEnd = (end: {
  readonly id: string
  readonly problem: Refusal | undefined
  readonly isSending: boolean
  readonly action: string
  readonly leave: () => void
}) => (
  <>
    <Problem id={end.id} problem={end.problem} />
    <div class="choices">
      <button class="secondary" type="button" onClick={end.leave}>
        Go back
      </button>
      <button class="primary" type="submit" aria-disabled={end.isSending}>
        {end.action}
      </button>
    </div>
  </>
)

/** Returns the text of a field of a form. */
export const textIn = (form: HTMLFormElement, name: string): string => String(new FormData(form).get(name) ?? "")
