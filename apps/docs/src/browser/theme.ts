/** Runs before the page is painted, so that a chosen theme does not flash. */
import { storedText } from "./stored-text.ts"

const root = document.documentElement
root.classList.remove("no-script")
const chosen = storedText("localStorage", "theme").read()
if (chosen === "light" || chosen === "dark") root.dataset["theme"] = chosen
