/** Runs before the page is painted, so that a chosen theme does not flash. */

const root = document.documentElement
root.classList.remove("no-script")
try {
  const chosen = localStorage.getItem("theme")
  if (chosen === "light" || chosen === "dark") root.dataset["theme"] = chosen
} catch {
  // Storage may be forbidden: then the system decides.
}
