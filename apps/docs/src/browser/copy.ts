/** Buttons that copy the code next to them. */
import { all } from "@petstore/pages/elements"

const shownMillis = 1_600

const copy = async (button: HTMLElement): Promise<void> => {
  const code = button.closest(".code")?.querySelector("code")
  const label = button.firstChild
  if (label === null) return
  try {
    await navigator.clipboard.writeText(code?.textContent ?? "")
    label.textContent = "Copied"
  } catch {
    // The page may not use the clipboard, or has none (without TLS). The reader can copy the selected code with the keyboard.
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
