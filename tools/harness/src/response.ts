/** An HTTP response parsed from raw bytes, without normalisation: header lines in order, and the body as bytes. */
import { type Json, readJson } from "./exact-json.ts"

export class WireResponse {
  readonly version: string
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Statuses of the preceding 1xx responses. */
  readonly interim: ReadonlyArray<number>
  readonly body: Buffer

  constructor(head: Head, interim: ReadonlyArray<number>, body: Buffer) {
    this.version = head.version
    this.status = head.status
    this.headers = head.headers
    this.interim = interim
    this.body = body
  }

  all(name: string): ReadonlyArray<string> {
    return valuesOf(this.headers, name)
  }

  /** Returns a header's value, or `undefined` if the header is absent. Several header lines are joined with commas. */
  header(name: string): string | undefined {
    const values = this.all(name)
    return values.length === 0 ? undefined : values.join(", ")
  }

  get isLast(): boolean {
    return (this.header("connection") ?? "").split(",").some((option) => option.trim().toLowerCase() === "close")
  }

  get text(): string {
    return this.body.toString("utf8")
  }

  /** The body as exact JSON. Throws if it is not JSON in UTF-8. */
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

export interface Head {
  readonly version: string
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
}

const valuesOf = (headers: Head["headers"], name: string): ReadonlyArray<string> =>
  headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value)

/** Parses a head, without its empty last line. Throws if it is not HTTP/1. */
export const readHead = (text: string): Head => {
  const [first = "", ...lines] = text.split("\r\n")
  const status = /^(HTTP\/1\.[01]) (\d{3})(?: (.*))?$/.exec(first)
  if (status === null) throw new Error(`not a status line: ${JSON.stringify(first)}`)
  const headers = lines.map((line) => {
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line)
    if (field === null) throw new Error(`not a header line: ${JSON.stringify(line)}`)
    return [field[1] ?? "", field[2] ?? ""] as const
  })
  return { version: status[1] ?? "", status: Number(status[2]), headers }
}

/**
 * Returns the body at the start of the bytes and its length on the wire (RFC 9112 §6.3), or `undefined` if incomplete. Throws at an
 * ambiguous length.
 */
const bodyOf = (bytes: Buffer, head: Head, method: string, isAll: boolean) => {
  const ofLength = (length: number) => (bytes.length < length ? undefined : { content: bytes.subarray(0, length), length })
  if (method === "HEAD" || head.status === 204 || head.status === 304) return ofLength(0)
  const coding = valuesOf(head.headers, "transfer-encoding")
  const lengths = valuesOf(head.headers, "content-length")
  if (coding.length + lengths.length > 1) throw new Error("the response has an ambiguous length")
  if (coding.length === 1) {
    if (coding[0]?.toLowerCase() !== "chunked") throw new Error(`unknown transfer coding: ${coding[0]}`)
    return chunkedBodyOf(bytes)
  }
  if (lengths[0] === undefined) return isAll ? ofLength(bytes.length) : undefined
  if (!/^\d+$/.test(lengths[0])) throw new Error(`not a length: ${lengths[0]}`)
  return ofLength(Number(lengths[0]))
}

const chunkedBodyOf = (bytes: Buffer) => {
  const chunks: Array<Buffer> = []
  for (let length = 0; ; ) {
    const start = bytes.indexOf("\r\n", length) + 2
    if (start < 2) return undefined
    const size = Number.parseInt(bytes.toString("latin1", length, start), 16)
    if (Number.isNaN(size)) throw new Error("a chunk has no size")
    length = start + size + 2
    if (bytes.length < length) return undefined
    chunks.push(bytes.subarray(start, start + size))
    if (size === 0) return { content: Buffer.concat(chunks), length }
  }
}

/**
 * Returns the first complete response in the bytes, with the 1xx responses before it, and their total length. Returns `undefined`
 * if no response is complete. Throws if the bytes are not HTTP/1, or if the length is ambiguous.
 *
 * @param methodOf  returns the request's method, because a response to HEAD has no body
 * @param isAll     whether the connection has ended, which ends a body without a length
 */
export const firstResponse = (
  bytes: Buffer,
  methodOf: (head: Head) => string,
  isAll: boolean,
): { readonly response: WireResponse; readonly length: number } | undefined => {
  const interim: Array<number> = []
  for (let start = 0; ; ) {
    const end = bytes.indexOf("\r\n\r\n", start)
    if (end < 0) return undefined
    const head = readHead(bytes.toString("latin1", start, end))
    start = end + 4
    if (head.status < 200) interim.push(head.status)
    else {
      const body = bodyOf(bytes.subarray(start), head, methodOf(head), isAll)
      return body && { response: new WireResponse(head, interim, body.content), length: start + body.length }
    }
  }
}
