/** The counter of a person who is signed in: fresh every few seconds, and what one does with it. */
import type { Client } from "@petstore/client"
import { all, one } from "@petstore/docs/elements"
import { report, timeOfDay } from "./activity.ts"
import { addPet, closeForm } from "./add-pet.ts"
import { isRefusedKey, sentenceOf } from "./failure.ts"
import { int64Of } from "./int64.ts"
import { act } from "./orders.ts"
import { type Action, foundTable, showRows } from "./table.ts"
import { type Row, readerOf, type View } from "./view.ts"

/** How old the list may be, in ms, while the page is visible. Responses that did not change have no body. */
const freshMillis = 3_000

/** The most rows that are printed: a longer list belongs into a file. */
const printedRows = 1_000

export class Counter {
  readonly #petstore: Client
  readonly #read: ReturnType<typeof readerOf>
  /** Called when the key is no longer accepted. */
  readonly #onRefusedKey: (sentence: string) => void
  /** Ends everything that this counter listens to and waits for. */
  readonly #ending = new AbortController()
  #view: View = "all"
  /** The cursors of the pages before this one and its own; `undefined` is the first. */
  #cursors: ReadonlyArray<string | undefined> = [undefined]
  #next: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The refresh under way: a newer one takes its place. */
  #refreshing = new AbortController()

  constructor(petstore: Client, onRefusedKey: (sentence: string) => void) {
    this.#petstore = petstore
    this.#read = readerOf(petstore)
    this.#onRefusedKey = onRefusedKey
    const { signal } = this.#ending
    const on = (selector: string, event: string, listener: (event: Event) => void) => {
      one(selector, HTMLElement).addEventListener(event, listener, { signal })
    }
    for (const button of all("[data-view]")) {
      // Safe: the page has no other views.
      button.addEventListener("click", () => this.#show(button.dataset["view"] as View), { signal })
    }
    on("[data-first]", "click", () => this.#goTo([undefined]))
    on("[data-back]", "click", () => this.#goTo(this.#cursors.slice(0, -1)))
    on("[data-next]", "click", () => this.#goTo([...this.#cursors, this.#next]))
    on("[data-print]", "click", () => void this.#print())
    on("[data-counter]", "click", ({ target }) => void this.#act(target))
    on("[data-open-add]", "click", () => one("[data-add-dialog]", HTMLDialogElement).showModal())
    on("[data-close-add]", "click", closeForm)
    on("[data-add]", "submit", (event) => void this.#add(event))
    on("[data-find]", "submit", (event) => void this.#find(event))
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && void this.refresh(), { signal })
  }

  end(): void {
    this.#ending.abort()
    this.#refreshing.abort()
    clearTimeout(this.#timer)
  }

  /** Shows what is true now, and again in a few seconds. */
  async refresh(): Promise<void> {
    this.#refreshing.abort()
    clearTimeout(this.#timer)
    const refreshing = new AbortController()
    this.#refreshing = refreshing
    const { signal } = refreshing
    try {
      const [inventory, page] = await Promise.all([
        this.#petstore.getInventory({ signal, maxRetries: 0 }),
        this.#read(this.#view, this.#cursors.at(-1), signal),
      ])
      if (signal.aborted) return
      for (const [name, count] of Object.entries(inventory)) {
        one(`[data-number="${name}"]`, HTMLElement).textContent = count.toLocaleString()
      }
      showRows(this.#view, page.rows)
      this.#showPaging(page.next)
      this.#sayFresh()
    } catch (thrown) {
      if (signal.aborted) return
      if (this.#isRefused(thrown)) return
      this.#sayTrouble(sentenceOf(thrown))
    }
    this.#timer = setTimeout(() => document.visibilityState === "visible" && void this.refresh(), freshMillis)
  }

  /** Leaves the counter if the key is the reason of a failure. */
  #isRefused(thrown: unknown): boolean {
    if (!isRefusedKey(thrown)) return false
    this.#onRefusedKey(sentenceOf(thrown))
    return true
  }

  #sayFresh(): void {
    one("[data-fresh]", HTMLElement).textContent = `As of ${timeOfDay(new Date())}`
    one("[data-trouble]", HTMLElement).hidden = true
  }

  #sayTrouble(sentence: string): void {
    const trouble = one("[data-trouble]", HTMLElement)
    const since = one("[data-fresh]", HTMLElement).textContent
    const text = since === "" ? sentence : `${sentence} What is shown is old: ${since?.toLowerCase()}.`
    // Said once, not every few seconds.
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

  #show(view: View): void {
    this.#view = view
    for (const button of all("[data-view]")) button.setAttribute("aria-pressed", String(button.dataset["view"] === view))
    this.#goTo([undefined])
  }

  /** Goes to another page. Until its rows arrive the list says so, and its page buttons do nothing. */
  #goTo(cursors: ReadonlyArray<string | undefined>): void {
    this.#cursors = cursors
    for (const selector of ["[data-first]", "[data-back]", "[data-next]"]) one(selector, HTMLButtonElement).disabled = true
    one("[data-page]", HTMLElement).textContent = `Loading page ${cursors.length}…`
    one("[data-list]", HTMLElement).setAttribute("aria-busy", "true")
    void this.refresh()
  }

  /** Does what a button of a line says, once. The button keeps the focus, and does nothing until the list is fresh again. */
  async #act(target: EventTarget | null): Promise<void> {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>("button[data-action]") : null
    if (button === null || button.ariaDisabled === "true") return
    const { id = "", name = "" } = button.dataset
    button.ariaDisabled = "true"
    try {
      // Safe: the table has no other actions.
      const done = await act(this.#petstore, button.dataset["action"] as Action, { id: BigInt(id), name }, this.#ending.signal)
      if (done !== undefined) report(done)
      if (done !== undefined && button.closest("[data-found]")) one("[data-found]", HTMLElement).hidden = true
    } catch (thrown) {
      if (this.#ending.signal.aborted) return
      report(thrown instanceof Error && thrown.cause ? thrown.message : `${name}: ${sentenceOf(thrown)}`, { isFailure: true })
      if (this.#isRefused(thrown)) return
    }
    if (this.#ending.signal.aborted) return
    button.ariaDisabled = null
    await this.refresh()
  }

  async #add(event: Event): Promise<void> {
    event.preventDefault()
    await addPet(this.#petstore, this.#ending.signal, (thrown) => this.#isRefused(thrown))
    if (!this.#ending.signal.aborted) await this.refresh()
  }

  /** Looks one animal up by its identifier. */
  async #find(event: Event): Promise<void> {
    event.preventDefault()
    const { value } = one("#find-id", HTMLInputElement)
    const problem = one("[data-find-problem]", HTMLElement)
    const found = one("[data-found]", HTMLElement)
    found.hidden = true
    problem.textContent = ""
    const id = int64Of(value)
    if (id === undefined) {
      problem.textContent = "An identifier is a whole number, in digits."
      return
    }
    try {
      found.replaceChildren(foundTable(await this.#petstore.getPet(id, { signal: this.#ending.signal })))
      found.hidden = false
    } catch (thrown) {
      if (this.#ending.signal.aborted) return
      problem.textContent = sentenceOf(thrown)
    }
  }

  /** Prints every row of the view, and says so where there are more than it prints. */
  async #print(): Promise<void> {
    this.#refreshing.abort()
    clearTimeout(this.#timer)
    const rows: Array<Row> = []
    let cursor: string | undefined
    const note = one("[data-print-note]", HTMLElement)
    try {
      do {
        const page = await this.#read(this.#view, cursor, this.#ending.signal, 100)
        rows.push(...page.rows)
        cursor = page.next
      } while (cursor !== undefined && rows.length < printedRows)
      note.textContent = cursor === undefined ? "" : `Only the first ${rows.length} rows are printed.`
      showRows(this.#view, rows)
      print()
    } catch (thrown) {
      if (this.#ending.signal.aborted || this.#isRefused(thrown)) return
      report(`The list was not printed: ${sentenceOf(thrown)}`, { isFailure: true })
    }
    note.textContent = ""
    await this.refresh()
  }
}
