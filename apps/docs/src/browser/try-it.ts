/** Makes the forms work: sends requests, and shows the exact responses with advice. */

import { allOf, make, one } from "@petstore/pages/elements"
import { layOutJson } from "../highlight.ts"
import { adviceFor, errorOf } from "./advice.ts"
import { type Prepared, prepare, type Received, send } from "./request.ts"
import { codeNodes } from "./samples.ts"

const nextPage = ({ headers }: Received): URLSearchParams | undefined => {
  const [, target] = /<([^<>]*)>\s*;\s*rel="next"/.exec(headers.get("Link") ?? "") ?? []
  return target === undefined ? undefined : new URL(target, location.origin).searchParams
}

const isProduction = document.documentElement.dataset["deployment"] === "production"

const enableForm = (form: HTMLFormElement): void => {
  const button = one("button[type=submit]", HTMLButtonElement, form)
  /** Whether the next click sends a change to the real store, because the reader has been asked. */
  let isConfirmed = false
  const ask = (asked: boolean): void => {
    isConfirmed = asked
    button.textContent = asked ? "Change the real store" : "Send"
  }
  let next: URLSearchParams | undefined
  const part = (name: string): HTMLElement => one(`[data-${name}]`, HTMLElement, form)
  part("response").append(document.importNode(one("[data-response-template]", HTMLTemplateElement).content, true))
  one("pre", HTMLPreElement, form).ariaLabel = `${form.dataset["operation"]}: response body`

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

  const showResponse = (received: Received, advice: string): void => {
    const { status, statusText, millis, headers, text } = received
    const { code } = errorOf(received)
    const kind = status < 400 ? "good" : status < 500 ? "bad" : "broken"
    say(`${status} ${statusText}`.trim(), kind, advice, `${millis} ms`)
    if (code !== undefined && document.getElementById(`error-${code}`)) {
      part("advice").append(" ", make("a", "code-link", code, { href: `#error-${code}` }))
    }
    const rows = [...headers].map(([name, value]) => make("div", "", [make("dt", "", name), make("dd", "", value)]))
    part("headers").replaceChildren(...rows)
    part("headers-box").hidden = false
    part("body").replaceChildren(...codeNodes(layOutJson(text) ?? [{ kind: "plain", text }]))
    part("body-box").hidden = text === ""
    next = nextPage(received)
    part("next").hidden = next === undefined
  }

  const show = async (request: Prepared): Promise<void> => {
    const outcome = await send(request)
    const advice = adviceFor(outcome, request)
    if (outcome.kind === "answered") showResponse(outcome, advice)
    else say("No response", "broken", advice)
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
    if (isProduction && form.dataset["method"] !== "GET" && !isConfirmed) {
      say("", "neutral", "This is production: the request changes the real store. Send it?")
      ask(true)
      return
    }
    ask(false)
    button.disabled = true
    form.setAttribute("aria-busy", "true")
    const request = prepared()
    if (request !== undefined) await show(request)
    form.removeAttribute("aria-busy")
    button.disabled = false
    preview()
  }

  form.addEventListener("input", () => {
    ask(false)
    preview()
  })
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
