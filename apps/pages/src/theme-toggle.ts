/** The button that changes the theme. Until it is used, the system's theme applies. */
import { one } from "./elements.ts"
import { storedText } from "./stored-text.ts"

const storedTheme = storedText("localStorage", "theme")

const systemIsDark = matchMedia("(prefers-color-scheme: dark)")

const isDark = (): boolean => {
  const chosen = document.documentElement.dataset["theme"]
  return chosen === undefined ? systemIsDark.matches : chosen === "dark"
}

export const enableThemeToggle = (): void => {
  const button = one("[data-theme-toggle]", HTMLButtonElement)
  const show = () => button.setAttribute("aria-pressed", String(isDark()))
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark"
    document.documentElement.dataset["theme"] = theme
    storedTheme.write(theme)
    show()
  })
  systemIsDark.addEventListener("change", show)
  show()
}
