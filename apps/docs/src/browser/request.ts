/** A real request from the fields of a form, and its answer as text. */

import type { Outcome } from "./advice.ts"
import { apiKey } from "./api-key.ts"
import { baseAddress } from "./base-address.ts"

/** How long to wait for an answer, in ms. */
const timeoutMillis = 30_000

export interface Prepared {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string | null
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

const isField = (element: Element): element is Field =>
  element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement

/** Reads a form into a request. Empty fields are left out: a parameter without a value is another request. */
export const prepare = (form: HTMLFormElement): Prepared => {
  let path = form.dataset["path"] ?? ""
  const query = new URLSearchParams()
  const headers = new Headers()
  let body: string | null = null
  for (const field of [...form.elements].filter(isField)) {
    const { name, value } = field
    if (field.dataset["in"] === "path") path = path.replace(`{${name}}`, encodeURIComponent(value.trim()))
    if (value === "") continue
    if (field.dataset["in"] === "query") query.set(name, value)
    if (field.dataset["in"] === "header") headers.set(name, value)
    if (field.dataset["in"] === "body") body = value
  }
  if (body !== null) headers.set("Content-Type", "application/json")
  const text = query.toString()
  return { method: form.dataset["method"] ?? "GET", url: `${baseAddress}${path}${text === "" ? "" : `?${text}`}`, headers, body }
}

/** An answer, with the body as it was received: never parsed, so no digit changes. */
export interface Received {
  readonly status: number
  readonly statusText: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly text: string
  readonly millis: number
}

/** Sends a request. Fails with the reason why no answer came. */
export const send = async ({ method, url, headers, body }: Prepared): Promise<Received | (Outcome & { kind: "unanswered" })> => {
  const credential = apiKey()
  const startedAt = performance.now()
  try {
    if (credential !== "") headers.set("Authorization", `Bearer ${credential}`)
    const response = await fetch(url, {
      method,
      headers,
      body,
      cache: "no-store",
      credentials: "omit",
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMillis),
    })
    const text = await response.text()
    return {
      status: response.status,
      statusText: response.statusText,
      headers: [...response.headers],
      text,
      millis: Math.round(performance.now() - startedAt),
    }
  } catch (thrown) {
    const isTimeout = thrown instanceof DOMException && thrown.name === "TimeoutError"
    return { kind: "unanswered", reason: isTimeout ? "timeout" : navigator.onLine ? "dropped" : "offline" }
  }
}
