/** Keeps the API key in a variable and in the page's fields, and in the tab's storage only if the user opts in. */
import { allOf, one } from "@petstore/pages/elements"
import { storedText } from "@petstore/pages/stored-text"

let key = ""
const listeners: Array<() => void> = []

/** The pasted key, without surrounding white space. */
export const apiKey = (): string => key

export const onApiKey = (listener: () => void): void => void listeners.push(listener)

const fields = () => allOf("[data-key]", HTMLInputElement)

const stored = storedText("sessionStorage", "api-key")

export const enableApiKey = (): void => {
  const keep = one("[data-key-keep]", HTMLInputElement)
  const setKey = (value: string, typedIn?: HTMLInputElement): void => {
    key = value.trim()
    for (const field of fields()) if (field !== typedIn) field.value = key
    stored.write(keep.checked ? key : "")
    for (const listener of listeners) listener()
  }

  // Some browsers restore the previous value after a reload.
  const kept = stored.read()
  keep.checked = kept !== ""
  setKey(kept)
  keep.addEventListener("change", () => setKey(key))
  for (const field of fields()) field.addEventListener("input", () => setKey(field.value, field))

  const show = one("[data-key-show]", HTMLButtonElement)
  show.addEventListener("click", () => {
    const isShown = show.getAttribute("aria-pressed") !== "true"
    show.setAttribute("aria-pressed", String(isShown))
    for (const field of fields()) field.classList.toggle("masked", !isShown)
    document.documentElement.classList.toggle("shows-key", isShown)
  })
  one("[data-key-forget]", HTMLButtonElement).addEventListener("click", () => setKey(""))
}
