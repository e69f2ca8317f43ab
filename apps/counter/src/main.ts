/** The counter page: signing in and out. */
import { allOf, one } from "@petstore/pages/elements"
import { enableThemeToggle } from "@petstore/pages/theme-toggle"
import { forget } from "./activity.ts"
import { addForm, closeAdd } from "./add-pet.ts"
import { fillCategories } from "./categories-dialog.ts"
import { holdCategories } from "./category-names.ts"
import { Counter, pressView, showReadOnly } from "./counter.ts"
import { editForm, forgetEdit } from "./edit-pet.ts"
import { isUnavailable, sentenceOf } from "./failure.ts"
import { makeFields, offerCategories } from "./pet-fields.ts"
import { connect, storedKey } from "./session.ts"
import { clear } from "./table.ts"

let counter: Counter | undefined

/** Counts the attempts to sign in, because only the latest attempt may open the counter. */
let tries = 0

/** The dialogs that were closed because the key was refused. */
let interrupted: ReadonlyArray<HTMLDialogElement> = []

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
  // An open dialog would cover the sign-in form. After a sign-in with another key, the page reopens the dialog.
  interrupted = problem === "" ? [] : allOf("dialog", HTMLDialogElement).filter(({ open, role }) => open && role === null)
  for (const dialog of allOf("dialog", HTMLDialogElement)) dialog.close()
  showReadOnly(false)
  show(false)
  one("[data-sign-in-problem]", HTMLElement).textContent = problem
  one("#key", HTMLInputElement).value = ""
  one("#key", HTMLInputElement).focus()
}

/** Signs out, and clears everything that this user entered or loaded. */
const signOut = (): void => {
  leave()
  forget()
  closeAdd()
  forgetEdit()
  for (const form of allOf("form", HTMLFormElement)) form.reset()
  pressView("all")
  holdCategories([])
  fillCategories()
  for (const form of [addForm(), editForm()]) offerCategories(form)
  clear()
  one("[data-trouble]", HTMLElement).hidden = true
}

/** The pause between attempts to sign in while the service is unreachable, in ms. */
const againMillis = 3_000

/** Opens the counter if the service accepts the key. Repeats the attempt while the service is unreachable. */
const signIn = async (key: string, isKept: boolean): Promise<void> => {
  tries += 1
  const mine = tries
  const problem = one("[data-sign-in-problem]", HTMLElement)
  problem.textContent = ""
  if (key === "") {
    problem.textContent = "Paste your API key first."
    return
  }
  const button = one("[data-sign-in-form] button", HTMLButtonElement)
  button.textContent = "Signing in…"
  try {
    const petstore = connect(key)
    await petstore.listPets({ limit: 1 })
    if (mine !== tries) return
    if (isKept) storedKey.write(key)
    counter?.end()
    counter = new Counter(petstore, leave)
    show(true)
    one("#main", HTMLElement).focus()
    for (const dialog of interrupted) {
      one("[data-problem]", HTMLElement, dialog).textContent = ""
      dialog.showModal()
    }
    await counter.refresh()
  } catch (thrown) {
    if (mine !== tries) return
    problem.textContent = sentenceOf(thrown)
    if (isUnavailable(thrown)) setTimeout(() => mine === tries && void signIn(key, isKept), againMillis)
  } finally {
    button.textContent = "Sign in"
  }
}

one("[data-sign-in-form]", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault()
  const key = one("#key", HTMLInputElement).value.trim()
  void signIn(key, one("[name=keep]", HTMLInputElement).checked)
})
one("[data-sign-out]", HTMLButtonElement).addEventListener("click", signOut)
enableThemeToggle()
for (const form of [addForm(), editForm()]) makeFields(form)
const kept = storedKey.read()
if (kept !== "") void signIn(kept, true)
