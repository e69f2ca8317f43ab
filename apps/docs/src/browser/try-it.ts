/** Makes the forms work: sends requests, and shows the exact responses with advice. */
import { layOutJson } from "../json-layout.ts"
import { adviceFor, type Outcome, type Situation } from "./advice.ts"
import { apiKey } from "./api-key.ts"
import { allOf, make, one } from "./elements.ts"
import { type Prepared, prepare, type Received, send } from "./request.ts"
import { codeNodes } from "./samples.ts"

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

const outcomeOf = (received: Received): Outcome & { kind: "answered" } => ({
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

const enableForm = (form: HTMLFormElement): void => {
  let next: URLSearchParams | undefined
  const part = (name: string): HTMLElement => one(`[data-${name}]`, HTMLElement, form)

  const preview = (): void => {
    const { method, url } = prepare(form)
    part("request").textContent = `${method} ${url.slice(location.origin.length)}`
  }

  /** Shows the status and the advice. Screen readers announce them together, because they are in the same live region. */
  const say = (status: string, kind: string, advice: string, note = ""): void => {
    const shown = status === "" ? [] : [make("span", `status ${kind}`, status)]
    part("status").replaceChildren(...shown, make("span", "millis", note))
    part("advice").textContent = advice
    part("advice").hidden = advice === ""
    for (const name of ["headers-box", "body-box", "next"]) part(name).hidden = true
  }

  /** Builds the request. Returns `undefined` if the browser refuses a header value. */
  const prepared = (): Prepared | undefined => {
    try {
      return prepare(form)
    } catch {
      say("Not sent", "bad", "A header has a character that HTTP does not allow. Use letters, digits and ASCII punctuation.")
      return undefined
    }
  }

  const showResponse = (received: Received, situation: Situation): void => {
    const outcome = outcomeOf(received)
    const { status, statusText, millis, headers, text } = received
    const kind = status < 400 ? "good" : status < 500 ? "bad" : "broken"
    say(`${status} ${statusText}`.trim(), kind, adviceFor(outcome, situation), `${millis} ms`)
    if (outcome.code !== undefined && document.getElementById(`error-${outcome.code}`)) {
      part("advice").append(" ", make("a", "code-link", outcome.code, { href: `#error-${outcome.code}` }))
    }
    const rows = headers.map(([name, value]) => make("div", "", [make("dt", "", name), make("dd", "", value)]))
    part("headers").replaceChildren(...rows)
    part("headers-box").hidden = false
    part("body").replaceChildren(...codeNodes(layOutJson(text) ?? [{ kind: "plain", text }]))
    part("body-box").hidden = text === ""
    next = nextPage(received)
    part("next").hidden = next === undefined
  }

  const show = async (request: Prepared): Promise<void> => {
    const received = await send(request)
    const situation = situationOf(request)
    if ("kind" in received) say("No response", "broken", adviceFor(received, situation))
    else showResponse(received, situation)
    // The form above may fill the window.
    part("response").scrollIntoView({ block: "nearest" })
  }

  const submit = async (): Promise<void> => {
    const missing = form.querySelector<HTMLInputElement>("input[required]")
    if (missing?.value === "") {
      say("", "neutral", `Fill in ${missing.name} first.`)
      missing.focus()
      return
    }
    const button = one("button[type=submit]", HTMLButtonElement, form)
    button.disabled = true
    form.setAttribute("aria-busy", "true")
    const request = prepared()
    if (request !== undefined) await show(request)
    form.removeAttribute("aria-busy")
    button.disabled = false
    preview()
  }

  form.addEventListener("input", preview)
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    void submit()
  })
  part("next").addEventListener("click", () => {
    for (const [name, value] of next ?? []) {
      const field = form.elements.namedItem(name)
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value
    }
    void submit()
  })
  preview()
}

export const enableTryIt = (): void => {
  for (const form of allOf("[data-try] form", HTMLFormElement)) enableForm(form)
}
