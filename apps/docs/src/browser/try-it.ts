/** Makes the forms work: sends requests, and shows the exact responses with advice. */
import { layOutJson, tokenClasses } from "../json-layout.ts"
import { adviceFor, type Outcome, type Situation } from "./advice.ts"
import { apiKey } from "./api-key.ts"
import { allOf, make, one } from "./elements.ts"
import { type Prepared, prepare, type Received, send } from "./request.ts"

const headerOf = ({ headers }: Received, name: string): string | null =>
  headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? null

/** Returns the `code` and `message` of an Error object. Both are strings, which `JSON.parse` reads without loss. */
const errorOf = (text: string): { readonly code: string | undefined; readonly message: string } => {
  try {
    const { code, message } = Object(JSON.parse(text))
    return { code: typeof code === "string" ? code : undefined, message: String(message) }
  } catch {
    return { code: undefined, message: "" }
  }
}

const outcomeOf = (received: Received): Outcome => ({
  kind: "answered",
  status: received.status,
  ...(received.status >= 400 ? errorOf(received.text) : { code: undefined, message: "" }),
  retryAfter: headerOf(received, "retry-after"),
  requestId: headerOf(received, "x-request-id"),
})

const situationOf = ({ body, headers }: Prepared): Situation => ({
  key: apiKey(),
  deployment: document.documentElement.dataset["deployment"] ?? "",
  // Treats operations with a body as additions. Completing and cancelling have no body, and are safe to repeat.
  adds: body !== null,
  idempotencyKey: headers.get("Idempotency-Key") ?? "",
  remedy: (code) => document.querySelector(`#error-${CSS.escape(code)} [data-remedy]`)?.textContent ?? "",
})

/** Returns the query of the next page, if the response names one. */
const nextPage = (received: Received): URLSearchParams | undefined => {
  const [, target] = /<([^<>]*)>\s*;\s*rel="next"/.exec(headerOf(received, "link") ?? "") ?? []
  return target === undefined ? undefined : new URL(target, location.origin).searchParams
}

class Panel {
  readonly #form: HTMLFormElement
  #next: URLSearchParams | undefined

  constructor(form: HTMLFormElement) {
    this.#form = form
    const preview = () => this.#preview()
    form.addEventListener("input", preview)
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      void this.#send()
    })
    one("[data-next]", HTMLButtonElement, form).addEventListener("click", () => void this.#sendNext())
    preview()
  }

  #preview(): void {
    const { method, url } = prepare(this.#form)
    one("[data-request]", HTMLElement, this.#form).textContent = `${method} ${url.slice(location.origin.length)}`
  }

  async #sendNext(): Promise<void> {
    for (const [name, value] of this.#next ?? []) {
      const field = this.#form.elements.namedItem(name)
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value
    }
    await this.#send()
  }

  async #send(): Promise<void> {
    const missing = this.#form.querySelector<HTMLInputElement>("input[required]")
    if (missing?.value === "") {
      this.#say("", "neutral", `Fill in ${missing.name} first.`)
      missing.focus()
      return
    }
    const button = one("button[type=submit]", HTMLButtonElement, this.#form)
    button.disabled = true
    this.#form.setAttribute("aria-busy", "true")
    const request = this.#prepare()
    if (request !== undefined) await this.#show(request)
    this.#form.removeAttribute("aria-busy")
    button.disabled = false
    this.#preview()
  }

  /** Builds the request. Returns `undefined` if the browser refuses a header value. */
  #prepare(): Prepared | undefined {
    try {
      return prepare(this.#form)
    } catch {
      this.#say(
        "Not sent",
        "bad",
        "A header has a character that HTTP does not allow. Use letters, digits and ASCII punctuation.",
      )
      return undefined
    }
  }

  async #show(request: Prepared): Promise<void> {
    const received = await send(request)
    if ("kind" in received) {
      this.#say("No response", "broken", adviceFor(received, situationOf(request)))
      this.#bringIntoView()
      return
    }
    const outcome = outcomeOf(received)
    const { status, statusText, millis, headers, text } = received
    const kind = status < 400 ? "good" : status < 500 ? "bad" : "broken"
    this.#say(`${status} ${statusText}`.trim(), kind, adviceFor(outcome, situationOf(request)), `${millis} ms`)
    if (outcome.kind === "answered" && outcome.code !== undefined && document.getElementById(`error-${outcome.code}`)) {
      const link = make("a", "code-link", outcome.code, { href: `#error-${outcome.code}` })
      one("[data-advice]", HTMLElement, this.#form).append(" ", link)
    }
    this.#showHeaders(headers)
    this.#showBody(text)
    this.#next = nextPage(received)
    one("[data-next]", HTMLButtonElement, this.#form).hidden = this.#next === undefined
    this.#bringIntoView()
  }

  /** Scrolls the response into view, because the form above may fill the window. */
  #bringIntoView(): void {
    one("[data-response]", HTMLElement, this.#form).scrollIntoView({ block: "nearest" })
  }

  /** Shows the status and the advice. Screen readers announce them together, because they are in the same live region. */
  #say(status: string, kind: string, advice: string, note = ""): void {
    const line = one("[data-status]", HTMLElement, this.#form)
    line.replaceChildren(...(status === "" ? [] : [make("span", `status ${kind}`, status)]), make("span", "millis", note))
    const advised = one("[data-advice]", HTMLElement, this.#form)
    advised.textContent = advice
    advised.hidden = advice === ""
    for (const selector of ["[data-headers-box]", "[data-body-box]", "[data-next]"]) {
      one(selector, HTMLElement, this.#form).hidden = true
    }
  }

  #showHeaders(headers: Received["headers"]): void {
    const rows = headers.map(([name, value]) => {
      const row = document.createElement("div")
      row.append(make("dt", "", name), make("dd", "", value))
      return row
    })
    one("[data-headers]", HTMLElement, this.#form).replaceChildren(...rows)
    one("[data-headers-box]", HTMLElement, this.#form).hidden = false
  }

  #showBody(text: string): void {
    const tokens = layOutJson(text)
    const nodes =
      tokens === undefined
        ? [text]
        : tokens.map(({ kind, text: token }) => {
            const className = tokenClasses[kind]
            return className === undefined ? token : make("span", className, token)
          })
    one("[data-body]", HTMLElement, this.#form).replaceChildren(...nodes)
    one("[data-body-box]", HTMLElement, this.#form).hidden = text === ""
  }
}

export const enableTryIt = (): void => {
  for (const form of allOf("[data-try] form", HTMLFormElement)) new Panel(form)
}
