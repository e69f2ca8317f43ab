/** The counter page: signing in and out. */
import { allOf, one } from "@petstore/docs/elements"
import { enableThemeToggle } from "@petstore/docs/theme-toggle"
import { forget } from "./activity.ts"
import { closeForm } from "./add-pet.ts"
import { Counter } from "./counter.ts"
import { isAway, sentenceOf } from "./failure.ts"
import { connect, storedKey } from "./session.ts"
import { clear } from "./table.ts"

let counter: Counter | undefined

/** Counts tries to sign in: only the latest one may open the counter. */
let tries = 0

const show = (isSignedIn: boolean): void => {
  one("[data-sign-in]", HTMLElement).hidden = isSignedIn
  one("[data-counter]", HTMLElement).hidden = !isSignedIn
  one("[data-sign-out]", HTMLElement).hidden = !isSignedIn
  if (!isSignedIn) one("[data-fresh]", HTMLElement).textContent = ""
}

const leave = (problem = ""): void => {
  tries += 1
  counter?.end()
  counter = undefined
  storedKey.write("")
  // An open dialog would cover the form; what is typed in it stays.
  for (const dialog of allOf("dialog", HTMLDialogElement)) dialog.close()
  show(false)
  one("[data-sign-in-problem]", HTMLElement).textContent = problem
  one("#key", HTMLInputElement).value = ""
  one("#key", HTMLInputElement).focus()
}

/** Signs out for good: nothing of this person is left to the next one. */
const signOut = (): void => {
  leave()
  forget()
  closeForm()
  clear()
  one("[data-trouble]", HTMLElement).hidden = true
}

/** How long a device that stays signed in waits before it tries again, in ms. */
const againMillis = 3_000

/** Tries a key, and opens the counter if the service accepts it. Tries again while the service cannot be reached. */
const signIn = async (key: string, isKept: boolean): Promise<void> => {
  tries += 1
  const mine = tries
  const problem = one("[data-sign-in-problem]", HTMLElement)
  problem.textContent = ""
  if (key === "") {
    problem.textContent = "Paste your API key first."
    return
  }
  try {
    const petstore = connect(key)
    await petstore.listPets({ limit: 1 })
    if (mine !== tries) return
    if (isKept) storedKey.write(key)
    counter?.end()
    counter = new Counter(petstore, leave)
    show(true)
    one("#main", HTMLElement).focus()
    await counter.refresh()
  } catch (thrown) {
    if (mine !== tries) return
    problem.textContent = sentenceOf(thrown)
    if (isAway(thrown)) setTimeout(() => mine === tries && void signIn(key, isKept), againMillis)
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
