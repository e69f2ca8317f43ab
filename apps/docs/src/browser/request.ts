/** Sends a real request from the fields of a form, and returns the response as text. */
import { type Call, targetOf } from "../call.ts"
import { apiKey } from "./api-key.ts"

/** The base address, beside the page. The samples show this address, and the forms send requests only to it. */
export const baseAddress = new URL("v1", location.href).href

const timeoutMillis = 30_000

export interface Prepared {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string | null
}

/** Omits empty fields: an empty value differs from an absent one. `withExamples` fills in the contract's examples. */
export const callOf = (form: HTMLFormElement, { withExamples = false } = {}): Call => {
  const fields = [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>("[data-in]")]
  const valuesIn = (place: string) =>
    fields
      .filter((field) => field.dataset["in"] === place)
      .map((field) => {
        // A path parameter always needs a value.
        const example = withExamples || place === "path" ? (field.dataset["example"] ?? "") : ""
        return [field.name, field.value.trim() === "" ? example : field.value] as const
      })
      .filter(([, value]) => value !== "")
  const before = withExamples ? form.dataset["before"] : undefined
  return {
    // The build has put this data into the page: see `try-it-form.ts`.
    ...(before === undefined ? {} : { before: JSON.parse(before) }),
    operationId: form.dataset["operation"] ?? "",
    method: form.dataset["method"] ?? "GET",
    path: form.dataset["path"] ?? "",
    inPath: valuesIn("path").map(([name, value]) => [name, value.trim()]),
    query: valuesIn("query"),
    headers: valuesIn("header"),
    body: fields.find((field) => field.dataset["in"] === "body" && field.value !== "")?.value,
  }
}

export const prepare = (form: HTMLFormElement): Prepared => {
  const call = callOf(form)
  const headers = new Headers(call.headers.map(([name, value]) => [name, value]))
  if (call.body !== undefined) headers.set("Content-Type", "application/json")
  return { method: call.method, url: baseAddress + targetOf(call), headers, body: call.body ?? null }
}

/** A response with its raw body. The body is never parsed, so that no digits change. */
export interface Received extends Pick<Response, "status" | "statusText" | "headers"> {
  readonly kind: "answered"
  readonly text: string
  readonly millis: number
}

export type Outcome = Received | { readonly kind: "unanswered"; readonly reason: "offline" | "dropped" | "timeout" }

export const send = async ({ url, ...request }: Prepared): Promise<Outcome> => {
  const credential = apiKey()
  const startedAt = performance.now()
  try {
    if (credential !== "") request.headers.set("Authorization", `Bearer ${credential}`)
    const response = await fetch(url, {
      ...request,
      cache: "no-store",
      credentials: "omit",
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMillis),
    })
    const text = await response.text()
    const millis = Math.round(performance.now() - startedAt)
    return { kind: "answered", status: response.status, statusText: response.statusText, headers: response.headers, text, millis }
  } catch (thrown) {
    const isTimeout = thrown instanceof DOMException && thrown.name === "TimeoutError"
    return { kind: "unanswered", reason: isTimeout ? "timeout" : navigator.onLine ? "dropped" : "offline" }
  }
}
