/** The table of contents, which marks the section in view. On a phone, the table is a menu. */
import { all, one } from "@petstore/pages/elements"

export const enableMenu = (): void => {
  const button = one("[data-menu]", HTMLButtonElement)
  const contents = one("#contents", HTMLElement)
  const open = (isOpen: boolean) => {
    button.setAttribute("aria-expanded", String(isOpen))
    contents.classList.toggle("open", isOpen)
  }
  button.addEventListener("click", () => open(button.getAttribute("aria-expanded") !== "true"))
  contents.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("a")) open(false)
  })
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !contents.classList.contains("open")) return
    open(false)
    button.focus()
  })
}

export const markSection = (): void => {
  const links = new Map(all('.contents a[href^="#"]').map((link) => [link.getAttribute("href")?.slice(1) ?? "", link]))
  const sections = [...links.keys()].flatMap((id) => document.getElementById(id) ?? [])
  const mark = () => {
    // Marks the last section that begins in the window's upper third or above the window.
    const line = innerHeight / 3
    const current = sections.findLast((section) => section.getBoundingClientRect().top <= line)
    for (const [id, link] of links) {
      if (id === current?.id) link.setAttribute("aria-current", "true")
      else link.removeAttribute("aria-current")
    }
  }
  // A browser sends this event at most once per frame.
  addEventListener("scroll", mark, { passive: true })
  mark()
}
