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
  const line = document.activeElement?.closest<HTMLElement>("[data-line], [data-about]")?.dataset
  render(<Page state={state} />, root)
  if (line === undefined || document.activeElement !== document.body) return
  // An action may remove its own button. The name of its line is harmless, whichever key is pressed next.
  document.querySelector<HTMLElement>(`[data-line="${line["line"] ?? line["about"]}"] a`)?.focus()
})
signInAgain()
