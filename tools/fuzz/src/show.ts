/** A failing case as something to paste into a shell. The key is taken out: `$KEY` stands for it. */
import type { Http, Request } from "@petstore/harness/http"
import type { Case } from "./requests.ts"

/** Text as one word of a POSIX shell, in `$'…'` where quotes alone would not do. */
const word = (bytes: Uint8Array): string => {
  const text = Buffer.from(bytes).toString("latin1")
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes("'")) return `'${text}'`
  const escaped = text.replace(
    /[^\x20-\x7e]|['\\]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  )
  return `$'${escaped}'`
}

const latin1 = (text: string): string => word(Buffer.from(text, "latin1"))

const contentOf = ({ body, chunks }: Request): Buffer | undefined => {
  if (chunks !== undefined) return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)))
  return body === undefined ? undefined : Buffer.from(body)
}

/** One request as a curl line. */
const curl = (http: Http, request: Request): string => {
  const content = contentOf(request)
  const type = request.contentType === undefined ? (content === undefined ? null : "application/json") : request.contentType
  const target = request.target ?? `${http.prefix}${request.path ?? "/pets"}`
  const authorization = request.authorization ?? [`Bearer ${http.key}`]
  const lines: ReadonlyArray<readonly [string, string]> = [
    ...authorization.map((value) => ["Authorization", value] as const),
    ...(type === null ? [] : [["Content-Type", type] as const]),
    ...(request.chunks === undefined ? [] : [["Transfer-Encoding", "chunked"] as const]),
    ...(request.headers ?? []),
  ]
  // curl drops a header without a value, unless a semicolon says that it is meant.
  const headers = lines.map(([name, value]) => `-H ${latin1(value === "" ? `${name};` : `${name}: ${value}`)}`)
  const method = request.method === "HEAD" ? "--head" : `-X ${request.method ?? "GET"}`
  return [
    `curl -sS -i --path-as-is --globoff ${method}`,
    ...headers,
    ...(content === undefined ? [] : [`--data-binary ${word(content)}`]),
    latin1(http.base.origin + target),
  ].join(" ")
}

/** Bytes of one connection, for printf and nc. */
export const showBytes = (http: Http, bytes: Uint8Array): string => {
  const escaped = Buffer.from(bytes)
    .toString("latin1")
    .replace(/[^\x20-\x7e]|['\\%"$`]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`)
  return `printf '${escaped}' | nc ${http.base.hostname} ${http.base.port}`.replaceAll(http.key, "'\"$KEY\"'")
}

/** The requests of one connection: a curl line each, or, where several only fail together, their bytes. */
export const showCases = (http: Http, cases: ReadonlyArray<Case>): string => {
  const [only] = cases
  const text =
    cases.length === 1 && only !== undefined
      ? curl(http, only.request)
      : showBytes(http, Buffer.concat(cases.map(({ request }) => http.encode({ ...request, keepAlive: true }))))
  return text.replaceAll(http.key, `'"$KEY"'`)
}
