/** Tells the user what was done, and asks before it is done. */
import type { ComponentChildren } from "preact"
import { type Message, now, type Session, update } from "./state.ts"

/** How long a message is shown over the page, in ms. */
const shownMillis = { done: 5_000, failed: 15_000, waiting: 15_000 }

/** How long a message with Undo is shown, in ms. */
const undoMillis = 10_000

/** How long a message stays after the user was in it, in ms. */
const stayMillis = 3_000

let hiding: ReturnType<typeof setTimeout> | undefined

export const hideLatest = (): void => {
  clearTimeout(hiding)
  update({ latest: undefined })
}

/** Hides the message later, but not under the focus or the pointer. */
const hideAfter = (millis: number): void => {
  hiding = setTimeout(() => {
    if (document.querySelector("[data-latest]:is(:hover, :focus-within)") === null) hideLatest()
    else hideAfter(stayMillis)
  }, millis)
}

/** Where the focus was before it moved into the message. */
let from: HTMLElement | undefined

/** Whether Tab moves into the message: from the title or the line where an action left the focus, once. */
const isNext = (message: HTMLElement, here: Element): boolean =>
  from === undefined && here.matches(`h2[tabindex], [data-line="${message.dataset["about"]}"] *`)

/** Moves the focus into the message, as Tab does. From there, Escape closes it, and not the dialog below. */
export const messageKey = "F8"
addEventListener("keydown", (event) => {
  const { key, shiftKey } = event
  const message = document.querySelector<HTMLElement>("[data-latest]")
  const controls = [...(message?.querySelectorAll<HTMLElement>("input, button") ?? [])]
  const here = document.activeElement
  const [first] = controls
  if (message === null || first === undefined || !(here instanceof HTMLElement)) return
  const isInside = message.contains(here)
  const isTab = key === "Tab" && !shiftKey
  // The browser goes on to what follows the place where the user was.
  if (isTab && here === controls.at(-1)) return from?.focus()
  if (key === messageKey || (isTab && isNext(message, here))) {
    if (!isInside) from = here
    first.focus()
  } else if (key === "Tab" && shiftKey && here === first && from !== undefined) from.focus()
  else if (key === "Escape" && isInside) hideLatest()
  else return
  event.preventDefault()
})

export const report = (
  content: ComponentChildren,
  { kind = "done", undo, note, labels, petId }: Partial<Omit<Message, "content">> = {},
): void => {
  clearTimeout(hiding)
  from = undefined
  update({ latest: { content, kind, undo, note, labels, petId } })
  // A question stays until it is answered or dismissed.
  if (note === undefined) hideAfter(undo === undefined ? shownMillis[kind] : undoMillis)
}

/**
 * Asks a question after those before it are answered. Resolves to `true` if the user confirms with the button labelled `yes`.
 * Escape means no. Nothing is asked after `signal` aborts, when the user signs out.
 *
 * @param isUndoable  whether Enter may mean yes at once, because Undo takes it back
 */
export const confirmed = (
  content: ComponentChildren,
  yes: string,
  signal?: AbortSignal,
  { isUndoable = false } = {},
): Promise<boolean> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve(false)
    const answer = (isYes: boolean): void => {
      update({ questions: now().questions.filter((other) => other !== question) })
      resolve(isYes && signal?.aborted !== true)
    }
    const question = { content, yes, isUndoable, answer }
    update({ questions: [...now().questions, question] })
    signal?.addEventListener("abort", () => answer(false), { once: true })
  })

/**
 * Runs a change whose outcome may be unknown for a while. The page says so once, and asks before signing out.
 *
 * @param what  the end of "It is not known yet whether …"
 */
export const untold = async <A>(what: ComponentChildren, change: (isUnknown: () => void) => Promise<A>): Promise<A> => {
  const without = (): ReadonlySet<ComponentChildren> => new Set([...now().unknown].filter((other) => other !== what))
  const isUnknown = (): void => {
    if (now().unknown.has(what)) return
    update({ unknown: new Set([...now().unknown, what]) })
    report(["It is not known yet whether ", what, ". This page keeps trying."], { kind: "waiting" })
  }
  try {
    return await change(isUnknown)
  } finally {
    update({ unknown: without() })
  }
}

/** Marks a pet as being changed while `work` runs, so that its controls wait. */
export const whileBusy = async (id: bigint, work: () => Promise<void>): Promise<void> => {
  if (now().busy.has(id)) return
  update({ busy: new Set([...now().busy, id]) })
  try {
    await work()
  } finally {
    update({ busy: new Set([...now().busy].filter((other) => other !== id)) })
  }
}

/** The session that is open now. Throws if the user has signed out. */
export const sessionNow = (): Session => {
  const { session } = now()
  if (session === undefined) throw new Error("the page has no session")
  return session
}
