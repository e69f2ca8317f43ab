/** The counter of somebody who is signed in: fresh every few seconds, and what one does with it. */
import type { Client } from "@petstore/client"
import { all, one } from "@petstore/docs/elements"
import { report, timeOfDay } from "./activity.ts"
import { isRefusedKey, sentenceOf } from "./failure.ts"
import { type Action, foundTable, showRows } from "./table.ts"
import { readerOf, type View } from "./view.ts"

/** How long what is shown may be old, in ms, while somebody looks at it. Answers that did not change have no body. */
const freshMillis = 3_000

/** A whole number of 64 bits in decimal digits, or `undefined`. */
const int64Of = (text: string): bigint | undefined => {
  if (!/^-?\d{1,19}$/.test(text.trim())) return undefined
  const value = BigInt(text.trim())
  return BigInt.asIntN(64, value) === value ? value : undefined
}

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
    on("[data-print]", "click", () => print())
    on("[data-counter]", "click", ({ target }) => void this.#act(target))
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
      if (isRefusedKey(thrown)) {
        this.#onRefusedKey(sentenceOf(thrown))
        return
      }
      this.#sayTrouble(sentenceOf(thrown))
    }
    this.#timer = setTimeout(() => document.visibilityState === "visible" && void this.refresh(), freshMillis)
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
  }

  #show(view: View): void {
    this.#view = view
    for (const button of all("[data-view]")) button.setAttribute("aria-pressed", String(button.dataset["view"] === view))
    this.#goTo([undefined])
  }

  #goTo(cursors: ReadonlyArray<string | undefined>): void {
    this.#cursors = cursors
    void this.refresh()
  }

  /** Does what a button of a line says, once: it stays disabled until the list is fresh again. */
  async #act(target: EventTarget | null): Promise<void> {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>("button[data-action]") : null
    if (button === null || button.disabled) return
    // Safe: the table has no other actions.
    const action = button.dataset["action"] as Action
    const id = BigInt(button.dataset["id"] ?? "")
    button.disabled = true
    try {
      if (action === "reserve") {
        const order = await this.#petstore.orders.create({ petId: id })
        report(`Reserved animal ${id} with order ${order.id}.`)
      } else {
        const order = await this.#petstore.orders[action](id)
        report(`${action === "complete" ? "Completed" : "Cancelled"} order ${id} of animal ${order.petId}.`)
      }
      if (button.closest("[data-found]")) one("[data-found]", HTMLElement).hidden = true
    } catch (thrown) {
      report(`${action === "reserve" ? `Animal ${id}` : `Order ${id}`}: ${sentenceOf(thrown)}`, { isFailure: true })
    }
    button.disabled = false
    await this.refresh()
  }

  async #add(event: Event): Promise<void> {
    event.preventDefault()
    const form = one("[data-add]", HTMLFormElement)
    const problem = one("[data-add-problem]", HTMLElement)
    const send = one("button[type=submit]", HTMLButtonElement, form)
    const name = one("[name=name]", HTMLInputElement, form)
    const category = one("[name=categoryId]", HTMLInputElement, form)
    const { value: status } = one("[name=status]", HTMLSelectElement, form)
    const categoryId = int64Of(category.value)
    for (const field of [name, category]) field.removeAttribute("aria-invalid")
    const wrong = name.value.trim() === "" ? name : categoryId === undefined ? category : undefined
    if (wrong !== undefined || categoryId === undefined) {
      problem.textContent = wrong === name ? "The animal needs a name." : "The category is a whole number, in digits."
      wrong?.setAttribute("aria-invalid", "true")
      wrong?.focus()
      return
    }
    if (send.disabled) return
    send.disabled = true
    problem.textContent = ""
    try {
      const pet = await this.#petstore.createPet({
        name: name.value,
        categoryId,
        // Safe: the page offers the three statuses and none.
        ...(status === "" ? {} : { status: status as "available" | "pending" | "sold" }),
      })
      report(`Added ${pet.name} as animal ${pet.id}.`)
      form.reset()
      name.focus()
    } catch (thrown) {
      problem.textContent = sentenceOf(thrown)
      report(`${name.value} was not added: ${sentenceOf(thrown)}`, { isFailure: true })
    }
    send.disabled = false
    await this.refresh()
  }

  /** Looks one animal up, by the operation that is deprecated: until its removal nothing else finds one by its identifier. */
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
      found.replaceChildren(foundTable(await this.#petstore.getPet(id)))
      found.hidden = false
    } catch (thrown) {
      problem.textContent = sentenceOf(thrown)
    }
  }
}
