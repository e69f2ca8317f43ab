/** The API key: in a variable of this page and in its fields, and nowhere else. */
import { all, one } from "./elements.ts"

let key = ""

/** The key as it was pasted, without the white space that pasting brings along. */
export const apiKey = (): string => key

const fields = (): ReadonlyArray<HTMLInputElement> => all("[data-key]").filter((element) => element instanceof HTMLInputElement)

const setKey = (value: string, typedIn?: HTMLInputElement): void => {
  key = value.trim()
  for (const field of fields()) if (field !== typedIn) field.value = key
}

export const enableApiKey = (): void => {
  // Some browsers fill in what stood there before a reload.
  setKey("")
  for (const field of fields()) field.addEventListener("input", () => setKey(field.value, field))

  const show = one("[data-key-show]", HTMLButtonElement)
  show.addEventListener("click", () => {
    const isShown = show.getAttribute("aria-pressed") !== "true"
    show.setAttribute("aria-pressed", String(isShown))
    for (const field of fields()) field.classList.toggle("masked", !isShown)
  })
  one("[data-key-forget]", HTMLButtonElement).addEventListener("click", () => setKey(""))
}
