/** Adds a button to every block of code, which copies the code. */
import { all, make } from "@petstore/pages/elements"

const shownMillis = 1_600

const copy = async (button: HTMLElement, code: HTMLElement): Promise<void> => {
  const label = button.firstChild
  if (label === null) return
  try {
    await navigator.clipboard.writeText(code.textContent)
    label.textContent = "Copied"
  } catch {
    // The page may not use the clipboard, or has none (without TLS). The reader can copy the selected code with the keyboard.
    getSelection()?.selectAllChildren(code)
    label.textContent = "Press Ctrl+C"
  }
  setTimeout(() => {
    label.textContent = "Copy"
  }, shownMillis)
}

export const enableCopying = (): void => {
  for (const code of all(".code code")) {
    const name = code.parentElement?.ariaLabel ?? ""
    const button = make("button", "copy", ["Copy", make("span", "hidden", ` ${name}`)], { type: "button" })
    button.addEventListener("click", () => void copy(button, code))
    code.closest(".code")?.querySelector(".code-title")?.append(button)
  }
}
