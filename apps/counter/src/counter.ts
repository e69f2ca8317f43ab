/** The counter for a signed-in user. It refreshes every few seconds, and runs the actions. */
import type { Client } from "@petstore/client"
import { all, allOf, one } from "@petstore/pages/elements"
import { report, timeOfDay } from "./activity.ts"
import { addPet, closeAdd, openAdd } from "./add-pet.ts"
import { changeCategory, nameAnother, openCategories, saveCategory } from "./categories-dialog.ts"
import { holdCategories, readCategories } from "./category-names.ts"
import { savePet } from "./edit-pet.ts"
import { hasCode, sentenceOf } from "./failure.ts"
import { rowActions } from "./row-actions.ts"
import type { Session } from "./session.ts"
import { choiceOf, focusLine, showRows } from "./table.ts"
import { type Question, type Row, readRows, type View } from "./view.ts"

/** The time between refreshes while the page is visible, in ms. A refresh is cheap, because unchanged responses have no body. */
const freshMillis = 3_000

/** The maximum number of printed rows. Longer lists should be exported to a file. */
const printedRows = 1_000

/** How long the search waits for the next letter, in ms. */
const letterMillis = 200

/** Returns the current view and search, which stay the same if the key is refused. */
const askedNow = (): Question => ({
  // Safe: the page has no other views.
  view: one('[data-view][aria-pressed="true"]', HTMLElement).dataset["view"] as View,
  text: one("#find-text", HTMLInputElement).value.trim(),
})

export const pressView = (view: View): void => {
  for (const button of all("[data-view]")) button.setAttribute("aria-pressed", String(button.dataset["view"] === view))
}

/** Hides the actions that a read-only key may not use, or shows them again for another key. */
export const showReadOnly = (isReadOnly: boolean): void => {
  document.documentElement.classList.toggle("read-only", isReadOnly)
  one("[data-read-only]", HTMLElement).textContent = isReadOnly
    ? "This key is read-only. To add, sell, edit or remove animals, sign out and sign in with another key."
    : ""
}

export class Counter {
  readonly #session: Session
  readonly #onRefusedKey: (sentence: string) => void
  /** Stops all of this counter's listeners and timers. */
  readonly #ending = new AbortController()
  #question: Question = askedNow()
  /** The cursors of the previous pages and the current one. The first page's cursor is `undefined`. */
  #cursors: ReadonlyArray<string | undefined> = [undefined]
  #next: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #typing: ReturnType<typeof setTimeout> | undefined
  /** Aborts the current refresh when a newer one replaces it. */
  #refreshing = new AbortController()
  /** The action and the row of the button that was clicked last. */
  #chosen: ReturnType<typeof choiceOf>

  constructor(petstore: Client, onRefusedKey: (sentence: string) => void) {
    const { signal } = this.#ending
    this.#session = { petstore, signal, onFailure: (thrown) => this.#isExplained(thrown) }
    this.#onRefusedKey = onRefusedKey
    const on = (selector: string, event: string, listener: (event: Event) => void) => {
      one(selector, HTMLElement).addEventListener(event, listener, { signal })
    }
    const onSubmit = (selector: string, send: () => void) =>
      on(selector, "submit", (event) => {
        event.preventDefault()
        send()
      })
    for (const button of all("[data-view]")) {
      // Safe: the page has no other views.
      button.addEventListener("click", () => this.#show(button.dataset["view"] as View), { signal })
    }
    on("[data-first]", "click", () => this.#goTo([undefined]))
    on("[data-back]", "click", () => this.#goTo(this.#cursors.slice(0, -1)))
    on("[data-next]", "click", () => this.#goTo([...this.#cursors, this.#next]))
    on("[data-print]", "click", () => void this.#print())
    on("[data-rows]", "click", ({ target }) => void this.#act(target))
    on("[data-open-add]", "click", openAdd)
    on("[data-discard-add]", "click", closeAdd)
    on("[data-open-categories]", "click", openCategories)
    on("[data-new-category]", "click", nameAnother)
    on("[data-categories]", "click", ({ target }) => void this.#then(changeCategory(this.#session, target)))
    onSubmit("[data-add]", () => void this.#then(addPet(this.#session)))
    onSubmit("[data-edit]", () => void this.#then(savePet(this.#session)))
    onSubmit("[data-category-form]", () => void this.#then(saveCategory(this.#session)))
    onSubmit("[data-find]", () => this.#search())
    on("#find-text", "input", () => {
      clearTimeout(this.#typing)
      this.#typing = setTimeout(() => this.#search(), letterMillis)
    })
    for (const button of all("[data-close]")) {
      button.addEventListener("click", () => button.closest("dialog")?.close(), { signal })
    }
    for (const dialog of allOf("dialog", HTMLDialogElement)) {
      dialog.addEventListener("close", () => this.#chosen && focusLine(this.#chosen.action, this.#chosen.row.pet), { signal })
    }
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && void this.refresh(), { signal })
  }

  end(): void {
    this.#ending.abort()
    this.#refreshing.abort()
    clearTimeout(this.#timer)
    clearTimeout(this.#typing)
  }

  /** Refreshes the page now, and again in a few seconds. */
  async refresh(): Promise<void> {
    this.#refreshing.abort()
    clearTimeout(this.#timer)
    const refreshing = new AbortController()
    this.#refreshing = refreshing
    const { signal } = refreshing
    try {
      const { petstore } = this.#session
      const question = this.#question
      const [inventory, categories, page] = await Promise.all([
        petstore.getInventory({ signal, maxRetries: 0 }),
        readCategories(petstore, signal),
        readRows(petstore, question, this.#cursors.at(-1), signal),
      ])
      if (signal.aborted) return
      holdCategories(categories)
      for (const [name, count] of Object.entries(inventory.value)) {
        one(`[data-number="${name}"]`, HTMLElement).textContent = count.toLocaleString()
      }
      showRows(question, page.rows)
      this.#showPaging(page.next)
      this.#sayFound(page.rows.length)
      one("[data-fresh]", HTMLElement).textContent = `As of ${timeOfDay(new Date())}`
      one("[data-trouble]", HTMLElement).hidden = true
    } catch (thrown) {
      if (signal.aborted) return
      if (this.#isExplained(thrown)) return
      this.#sayTrouble(sentenceOf(thrown))
    }
    this.#timer = setTimeout(() => document.visibilityState === "visible" && void this.refresh(), freshMillis)
  }

  /** Handles a refused or read-only key: leaves the counter, or hides actions. Returns whether the page left the counter. */
  #isExplained(thrown: unknown): boolean {
    if (hasCode(thrown, "insufficient_scope")) {
      for (const dialog of allOf("dialog", HTMLDialogElement)) dialog.close()
      showReadOnly(true)
    }
    if (!hasCode(thrown, "invalid_credential", "missing_credential")) return false
    this.#onRefusedKey(sentenceOf(thrown))
    return true
  }

  #sayTrouble(sentence: string): void {
    const trouble = one("[data-trouble]", HTMLElement)
    const since = one("[data-fresh]", HTMLElement).textContent
    const text = since === "" ? sentence : `${sentence} The data shown is old: ${since?.replace("As", "as")}.`
    // Do not set the same text again every few seconds, because screen readers announce it.
    if (trouble.hidden || trouble.textContent !== text) trouble.textContent = text
    trouble.hidden = false
  }

  #showPaging(next: string | undefined): void {
    this.#next = next
    const number = this.#cursors.length
    one("[data-next]", HTMLButtonElement).disabled = next === undefined
    one("[data-back]", HTMLButtonElement).disabled = number === 1
    one("[data-first]", HTMLButtonElement).disabled = number === 1
    one("[data-page]", HTMLElement).textContent = `Page ${number}`
    one("[data-list]", HTMLElement).removeAttribute("aria-busy")
  }

  #sayFound(rows: number): void {
    const more = this.#next === undefined && this.#cursors.length === 1 ? "" : ` on page ${this.#cursors.length}`
    one("[data-said]", HTMLElement).textContent = this.#question.text === "" ? "" : `${rows} found${more}`
  }

  #show(view: View): void {
    this.#question = { ...this.#question, view }
    pressView(view)
    this.#goTo([undefined])
  }

  #search(): void {
    clearTimeout(this.#typing)
    const text = one("#find-text", HTMLInputElement).value.trim()
    if (text === this.#question.text) return
    this.#question = { ...this.#question, text }
    this.#goTo([undefined])
  }

  /** Goes to another page. Until its rows arrive, the list says that it is loading, and the page buttons are disabled. */
  #goTo(cursors: ReadonlyArray<string | undefined>): void {
    this.#cursors = cursors
    for (const selector of ["[data-first]", "[data-back]", "[data-next]"]) one(selector, HTMLButtonElement).disabled = true
    one("[data-page]", HTMLElement).textContent = `Loading page ${cursors.length}…`
    one("[data-said]", HTMLElement).textContent = "Loading…"
    one("[data-list]", HTMLElement).setAttribute("aria-busy", "true")
    void this.refresh()
  }

  /** Runs the action of a row's button once. The button keeps the focus, and is inactive until the action is done. */
  async #act(target: EventTarget | null): Promise<void> {
    const choice = choiceOf(target)
    if (choice === undefined || choice.button.ariaDisabled === "true") return
    const { button, action, row } = choice
    this.#chosen = choice
    button.ariaDisabled = "true"
    try {
      const done = await rowActions[action](this.#session, row)
      if (done !== undefined) report(done)
    } catch (thrown) {
      if (this.#ending.signal.aborted) return
      const sentence = sentenceOf(thrown)
      report(sentence.startsWith(row.pet.name) ? sentence : `${row.pet.name}: ${sentence}`, { isFailure: true })
      if (this.#isExplained(thrown) || (thrown instanceof Error && this.#isExplained(thrown.cause))) return
    } finally {
      button.ariaDisabled = null
    }
    if (this.#ending.signal.aborted) return
    await this.refresh()
  }

  /** Refreshes the list after a form has made its change. */
  async #then(changing: Promise<void>): Promise<void> {
    await changing
    if (!this.#ending.signal.aborted) await this.refresh()
  }

  /** Prints the rows of the view, with a note if there are more rows than it prints. */
  async #print(): Promise<void> {
    this.#refreshing.abort()
    clearTimeout(this.#timer)
    const question = this.#question
    const rows: Array<Row> = []
    let cursor: string | undefined
    const note = one("[data-print-note]", HTMLElement)
    one("[data-said]", HTMLElement).textContent = "Loading the rows to print…"
    try {
      do {
        const page = await readRows(this.#session.petstore, question, cursor, this.#ending.signal, 100)
        rows.push(...page.rows)
        cursor = page.next
      } while (cursor !== undefined && rows.length < printedRows)
      note.textContent = cursor === undefined ? "" : `Only the first ${rows.length} rows are printed.`
      showRows(question, rows)
      print()
    } catch (thrown) {
      if (this.#ending.signal.aborted || this.#isExplained(thrown)) return
      report(`The list was not printed: ${sentenceOf(thrown)}`, { isFailure: true })
    }
    note.textContent = ""
    await this.refresh()
  }
}
