/** The button that changes the theme. Until it is used, the system decides. */
import { one } from "./elements.ts"

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
    try {
      localStorage.setItem("theme", theme)
    } catch {
      // Storage may be forbidden: the choice lasts as long as the page.
    }
    show()
  })
  systemIsDark.addEventListener("change", show)
  show()
}
