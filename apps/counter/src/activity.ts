/** The log of actions in this tab. Screen readers announce each entry, and the newest is also shown over the page. */
import { make, one } from "@petstore/pages/elements"

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" })

export const timeOfDay = (date: Date): string => clock.format(date)

/** How long the latest entry is shown over the page, in ms. Failures are shown longer. */
const latestMillis = { done: 5_000, failed: 15_000 }

let hiding: ReturnType<typeof setTimeout> | undefined

const hideLatest = (): void => {
  clearTimeout(hiding)
  one("[data-latest]", HTMLElement).hidden = true
}

export const report = (text: string, { isFailure = false } = {}): void => {
  const now = new Date()
  const time = make("time", "", timeOfDay(now), { datetime: now.toISOString() })
  one("[data-activity]", HTMLOListElement).prepend(make("li", isFailure ? "failed" : "", [time, " ", text]))
  one("[data-activity-empty]", HTMLElement).hidden = true
  const latest = one("[data-latest]", HTMLElement)
  clearTimeout(hiding)
  latest.textContent = text
  latest.classList.toggle("failed", isFailure)
  latest.hidden = false
  hiding = setTimeout(hideLatest, isFailure ? latestMillis.failed : latestMillis.done)
}

/** Removes all entries, so that the next user of this device cannot read them. */
export const forget = (): void => {
  hideLatest()
  one("[data-latest]", HTMLElement).textContent = ""
  one("[data-activity]", HTMLOListElement).replaceChildren()
  one("[data-activity-empty]", HTMLElement).hidden = false
}
