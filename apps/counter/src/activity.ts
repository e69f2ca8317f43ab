/** What was done in this tab, the newest first. Screen readers hear each entry as it comes. */
import { make, one } from "@petstore/docs/elements"

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" })

/** The time of day as people of the store read it. */
export const timeOfDay = (date: Date): string => clock.format(date)

/** Adds an entry. `isFailure` marks what did not happen. */
export const report = (text: string, { isFailure = false } = {}): void => {
  const entry = make("li", isFailure ? "failed" : "", "")
  const now = new Date()
  const time = make("time", "", timeOfDay(now))
  time.setAttribute("datetime", now.toISOString())
  entry.append(time, " ", text)
  one("[data-activity]", HTMLOListElement).prepend(entry)
  one("[data-activity-empty]", HTMLElement).hidden = true
}
