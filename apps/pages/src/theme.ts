/** Sets the chosen theme before the page is painted, so that the other theme does not flash. */
import { storedText } from "./stored-text.ts"

const root = document.documentElement
root.classList.remove("no-script")
const chosen = storedText("localStorage", "theme").read()
if (chosen === "light" || chosen === "dark") root.dataset["theme"] = chosen
