/** The counter page: signing in and out. */
import { one } from "@petstore/docs/elements"
import { enableThemeToggle } from "@petstore/docs/theme-toggle"
import { Counter } from "./counter.ts"
import { sentenceOf } from "./failure.ts"
import { connect, storedKey } from "./session.ts"

let counter: Counter | undefined

const show = (isSignedIn: boolean): void => {
  one("[data-sign-in]", HTMLElement).hidden = isSignedIn
  one("[data-counter]", HTMLElement).hidden = !isSignedIn
  one("[data-sign-out]", HTMLElement).hidden = !isSignedIn
  if (!isSignedIn) one("[data-fresh]", HTMLElement).textContent = ""
}

const signOut = (problem = ""): void => {
  counter?.end()
  counter = undefined
  storedKey.write("")
  show(false)
  one("[data-sign-in-problem]", HTMLElement).textContent = problem
  one("#key", HTMLInputElement).value = ""
  one("#key", HTMLInputElement).focus()
}

/** Tries a key, and opens the counter if the service takes it. */
const signIn = async (key: string, isKept: boolean): Promise<void> => {
  const problem = one("[data-sign-in-problem]", HTMLElement)
  problem.textContent = ""
  if (key === "") {
    problem.textContent = "Paste your API key first."
    return
  }
  try {
    const petstore = connect(key)
    await petstore.listPets({ limit: 1 })
    if (isKept) storedKey.write(key)
    counter?.end()
    counter = new Counter(petstore, signOut)
    show(true)
    one("#main", HTMLElement).focus()
    await counter.refresh()
  } catch (thrown) {
    problem.textContent = sentenceOf(thrown)
  }
}

one("[data-sign-in-form]", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault()
  const key = one("#key", HTMLInputElement).value.trim()
  void signIn(key, one("[name=keep]", HTMLInputElement).checked)
})
one("[data-sign-out]", HTMLButtonElement).addEventListener("click", () => signOut())
enableThemeToggle()
const kept = storedKey.read()
if (kept !== "") void signIn(kept, true)
