/** Samples as tabs (WAI-ARIA tabs pattern). Choosing a language applies to all samples on the page. */
import { all, make } from "@petstore/pages/elements"

type Choose = (label: string) => void

/** Makes the tabs of one group of samples. Returns a function that shows one language. */
const groupOf = (samples: HTMLElement, number: number, choose: Choose): Choose | undefined => {
  const panels = all("[data-tab]", samples)
  if (panels.length < 2) return undefined
  const list = make("div", "tabs", [], { role: "tablist", "aria-label": samples.dataset["tabs"] ?? "" })
  const tabs = panels.map((panel, index) => {
    const label = panel.dataset["tab"] ?? ""
    const id = `tab-${number}-${index}`
    panel.id = `panel-${number}-${index}`
    panel.setAttribute("role", "tabpanel")
    panel.setAttribute("aria-labelledby", id)
    const tab = make("button", "tab", label, { id, type: "button", role: "tab", "aria-controls": panel.id })
    tab.addEventListener("click", () => choose(label))
    return { tab, panel, label }
  })
  list.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
    if (step === undefined) return
    const now = tabs.findIndex(({ tab }) => tab === document.activeElement)
    const next = tabs[(now + step + tabs.length) % tabs.length]
    if (next === undefined) return
    choose(next.label)
    next.tab.focus()
  })
  list.append(...tabs.map(({ tab }) => tab))
  samples.prepend(list)
  return (wanted) => {
    const chosen = tabs.some(({ label }) => label === wanted) ? wanted : tabs[0]?.label
    for (const { tab, panel, label } of tabs) {
      tab.setAttribute("aria-selected", String(label === chosen))
      tab.tabIndex = label === chosen ? 0 : -1
      panel.hidden = label !== chosen
    }
  }
}

export const enableTabs = (): void => {
  const choose: Choose = (label) => {
    // Keeps the clicked group in place, because groups above it may grow or shrink.
    const active = document.activeElement
    const before = active?.getBoundingClientRect().top
    for (const show of groups) show(label)
    if (active && before !== undefined) scrollBy(0, active.getBoundingClientRect().top - before)
  }
  const groups = all("[data-tabs]").flatMap((samples, number) => groupOf(samples, number, choose) ?? [])
  choose("curl")
}
