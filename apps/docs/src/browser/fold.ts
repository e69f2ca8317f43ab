/** The long parts of the page, which are folded on a phone. In wider windows, all of them are open. */
import { allOf } from "@petstore/pages/elements"

const folds = () => allOf("[data-fold]", HTMLDetailsElement)

/** Opens the part that has this anchor or contains it, and scrolls to the anchor. */
export const reveal = (id: string): void => {
  const target = document.getElementById(id)
  const around = target?.closest("[data-fold]") ?? target?.querySelector(":scope > [data-fold]")
  if (around instanceof HTMLDetailsElement) around.open = true
  target?.scrollIntoView()
}

const revealHash = (): void => {
  if (location.hash !== "") reveal(decodeURIComponent(location.hash.slice(1)))
}

export const enableFolding = (): void => {
  const phone = matchMedia("(max-width: 47.99rem)")
  const arrange = () => {
    for (const fold of folds()) {
      fold.open = !phone.matches
      // A wide window shows everything, so the titles cannot be focused there.
      const summary = fold.querySelector("summary")
      if (summary !== null) summary.tabIndex = phone.matches ? 0 : -1
    }
    revealHash()
  }
  phone.addEventListener("change", arrange)
  addEventListener("hashchange", revealHash)
  // In a wide window, a click on a title would close a part that the keyboard could not open again.
  for (const fold of folds()) {
    fold.querySelector("summary")?.addEventListener("click", (event) => {
      if (!phone.matches) event.preventDefault()
    })
  }
  arrange()
}
