/** An HTTP answer read from raw bytes, with nothing tidied: header lines in their order, the body as bytes. */
import { type Json, readJson } from "./exact-json.ts"

export class Answer {
  readonly version: string
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Statuses of the 1xx answers that came before. */
  readonly interim: ReadonlyArray<number>
  readonly body: Buffer

  constructor(head: Head, interim: ReadonlyArray<number>, body: Buffer) {
    this.version = head.version
    this.status = head.status
    this.headers = head.headers
    this.interim = interim
    this.body = body
  }

  /** Values of every header line of this name. */
  all(name: string): ReadonlyArray<string> {
    return valuesOf(this.headers, name)
  }

  /** The value of a header, several lines joined by a comma; `undefined` if there is none. */
  header(name: string): string | undefined {
    const values = this.all(name)
    return values.length === 0 ? undefined : values.join(", ")
  }

  get text(): string {
    return this.body.toString("utf8")
  }

  /** The body as exact JSON. Throws when it is not JSON in UTF-8. */
  get json(): Json {
    return readJson(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.body))
  }

  /** The target of the `Link` with this relation (RFC 8288), if there is one. */
  link(relation: string): string | undefined {
    for (const [, target, parameters = ""] of (this.header("link") ?? "").matchAll(/<([^>]*)>((?:\s*;\s*[^,;]+)*)/g)) {
      const relations = /;\s*rel\s*=\s*"?([^";]*)"?/i.exec(parameters)?.[1]?.trim().split(/\s+/)
      if (relations?.includes(relation)) return target
    }
    return undefined
  }
}

/** A status line and the header lines after it. */
export interface Head {
  readonly version: string
  readonly status: number
  readonly reason: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
}

const valuesOf = (headers: Head["headers"], name: string): ReadonlyArray<string> =>
  headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value)

/** Reads a head, without its empty last line. Throws when it is not HTTP/1. */
export const readHead = (text: string): Head => {
  const [first = "", ...lines] = text.split("\r\n")
  const status = /^(HTTP\/1\.[01]) (\d{3})(?: (.*))?$/.exec(first)
  if (status === null) throw new Error(`not a status line: ${JSON.stringify(first)}`)
  const headers = lines.map((line) => {
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line)
    if (field === null) throw new Error(`not a header line: ${JSON.stringify(line)}`)
    return [field[1] ?? "", field[2] ?? ""] as const
  })
  return { version: status[1] ?? "", status: Number(status[2]), reason: status[3] ?? "", headers }
}

/** How the end of an answer's body is found (RFC 9112 §6.3). */
export type Framing =
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "close" }

/** The framing of the answer to a request of this method. Throws when it is doubtful. */
export const framing = (head: Head, method: string): Framing => {
  if (method === "HEAD" || head.status < 200 || head.status === 204 || head.status === 304) return { kind: "length", bytes: 0 }
  const coding = valuesOf(head.headers, "transfer-encoding")
  const lengths = valuesOf(head.headers, "content-length")
  if (coding.length + lengths.length > 1) throw new Error("an answer with a doubtful length")
  if (coding.length === 1) {
    if (coding[0]?.toLowerCase() !== "chunked") throw new Error(`an unknown transfer coding: ${coding[0]}`)
    return { kind: "chunked" }
  }
  if (lengths[0] === undefined) return { kind: "close" }
  if (!/^\d+$/.test(lengths[0])) throw new Error(`not a length: ${lengths[0]}`)
  return { kind: "length", bytes: Number(lengths[0]) }
}
