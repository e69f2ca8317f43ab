/** Buttons that copy the code beside them. */
import { all } from "./elements.ts"

const shownMillis = 1_600

const copy = async (button: HTMLElement): Promise<void> => {
  const text = button.closest(".code")?.querySelector("code")?.textContent ?? ""
  const label = button.firstChild
  if (label === null) return
  try {
    await navigator.clipboard.writeText(text)
    label.textContent = "Copied"
  } catch {
    // No permission, or no clipboard on an address without TLS: select the text, and a keystroke copies it.
    const code = button.closest(".code")?.querySelector("code")
    if (code) getSelection()?.selectAllChildren(code)
    label.textContent = "Press Ctrl+C"
  }
  setTimeout(() => {
    label.textContent = "Copy"
  }, shownMillis)
}

export const enableCopying = (): void => {
  for (const button of all("[data-copy]")) button.addEventListener("click", () => void copy(button))
}
