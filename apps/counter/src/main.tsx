/** The counter page. */
import { one } from "@petstore/pages/elements"
import { render } from "preact"
import { Page } from "./page.tsx"
import { guardPresses } from "./press.ts"
import { signInAgain } from "./sign-in.ts"
import { show } from "./state.ts"

const root = one("#page", HTMLElement)
guardPresses()
show((state) => {
  const before = document.activeElement
  const line = before?.closest<HTMLElement>("[data-line], [data-about]")?.dataset
  const preventScroll = before?.matches(":focus-visible") === false
  render(<Page state={state} />, root)
  if (before?.isConnected !== false || document.activeElement !== document.body) return
  // An action may remove its own button. A title, or the name of a line, is harmless, whichever key is pressed next.
  const harmless = ["dialog[open] h2[tabindex]", `[data-line="${line?.["line"] ?? line?.["about"]}"] a`, "#list-title"]
  harmless
    .map((selector) => document.querySelector<HTMLElement>(selector))
    .find((element) => element !== null)
    ?.focus({ preventScroll })
})
signInAgain()
