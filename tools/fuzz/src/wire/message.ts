/** The messages in a conversation: well-formed requests in many forms, and broken requests. Each lists its allowed responses. */
import type { Code } from "@petstore/harness/expectations"
import { chunked, Http, type Request } from "@petstore/harness/http"

/** The variable parts of a message: the host, the key and a unique name. */
export interface Marks {
  readonly host: string
  readonly key: string
  /** The `X-Request-Id` of this message, and the name of the pet that it creates, if any. */
  readonly name: string
}

export interface Message {
  readonly bytes: Buffer
  readonly method: string
  /** The allowed responses: a status for a success, a code for an error. */
  readonly responses: ReadonlyArray<number | Code>
  /** Whether the connection stays open afterwards. If the connection closes, the service must not execute a later request. */
  readonly afterwards: "stays" | "ends" | "either"
  /** The name of the pet that the message creates. */
  readonly creates?: string
  /** The `X-Request-Id` of the response. Absent if the service might be unable to parse the head. */
  readonly requestId?: string
  /** Whether `100 Continue` may precede the response. */
  readonly expectsContinue?: boolean
}

type Write = (marks: Marks) => Message

const pet = ({ name }: Marks): string => JSON.stringify({ name, categoryId: 1 })

const chunk = (content: string): string => `${content.length.toString(16)}\r\n${content}\r\n`

const halves = (content: string) => [content.slice(0, 9), content.slice(9)] as const

const json = "Content-Type: application/json"

const encode = ({ host, key, name }: Marks, { headers = [], ...request }: Request): Buffer =>
  new Http(new URL(`http://${host}/v1`), key).encode({
    path: "/pets?limit=1",
    keepAlive: true,
    ...request,
    headers: [`X-Request-Id: ${name}`, ...headers],
  })

/** A request that gets one of these responses and leaves the connection open. */
const asking =
  (request: Request, ...responses: Message["responses"]): Write =>
  (marks) => ({
    bytes: encode(marks, request),
    method: request.method ?? "GET",
    responses,
    afterwards: "stays",
    requestId: marks.name,
  })

const keyless = { authorization: [] } as const

const closing = { headers: ["Connection: close"] } as const

const posting = { method: "POST", path: "/pets" } as const

const withLength = (content: string): Request => ({ ...posting, body: content })

const withChunks = (content: string): Request => ({ ...posting, chunks: halves(content) })

/** A request that creates a pet: the pet's JSON as `carry` sends it, with these changes to the request. */
const creating =
  (carry: (content: string) => Request, changes: Request | ((marks: Marks) => Request) = {}): Write =>
  (marks) => {
    const request = { ...carry(pet(marks)), ...(typeof changes === "function" ? changes(marks) : changes) }
    return { ...asking(request, 201)(marks), creates: marks.name }
  }

const ending =
  (write: Write, afterwards: Message["afterwards"] = "ends"): Write =>
  (marks) => ({ ...write(marks), afterwards })

/** A request that HTTP/1.1 does not allow. The service refuses it, and executes neither this request nor any later one. */
const refused =
  (request: (marks: Marks) => Request, code: Code = "malformed_request"): Write =>
  (marks) => {
    const { method = "GET" } = request(marks)
    return { bytes: encode(marks, request(marks)), method, responses: [code], afterwards: "ends" }
  }

/** A create request in which only the framing of the body and these headers are wrong. */
const refusedCreate = (body: (content: string) => string | Uint8Array, ...lines: ReadonlyArray<string>): Write =>
  refused((marks) => ({ ...posting, raw: body(pet(marks)), headers: [json, ...lines] }))

const nonsense =
  (text: string): Write =>
  () => ({ bytes: Buffer.from(text), method: "GET", responses: ["malformed_request"], afterwards: "ends" })

const inChunks = (content: string): Uint8Array => chunked(halves(content))

const oversized = "x".repeat(70_000)

const tunnel = { method: "CONNECT", target: "example.com:443", host: ["example.com:443"] }

/** Requests that leave the connection open. The simplest is first, because failures shrink towards it. */
export const orderly = {
  page: asking({}, 200),
  "a page of 100": asking({ path: "/pets?limit=100" }, 200),
  create: creating(withLength),
  "create in chunks": creating(withChunks),
  "create once": creating(withLength, ({ name }) => ({ headers: [`Idempotency-Key: ${name}`] })),
  "create, expecting 100": (marks) => ({
    ...creating(withLength, { headers: ["Expect: 100-continue"] })(marks),
    expectsContinue: true,
  }),
  pet: asking({ path: "/pets/1" }, 200),
  "no pet": asking({ path: "/pets/999999999999999" }, "pet_not_found"),
  head: asking({ method: "HEAD" }, 200),
  "head of an unknown route": asking({ method: "HEAD", path: "/none" }, 404),
  options: asking({ method: "OPTIONS" }, 204),
  alive: asking({ target: "/healthz", ...keyless }, 200),
  "a body to GET": asking({ body: "{}" }, 200),
  "create in 1.0, kept alive": creating(withLength, { version: "1.0", headers: ["Connection: keep-alive"] }),
  "create, offering an upgrade": creating(withLength, {
    headers: ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"],
  }),
  "create in chunks, offering an upgrade": creating(withChunks, { headers: ["Connection: Upgrade", "Upgrade: h2c"] }),
  "no route": asking({ path: "/none" }, "route_not_found"),
  "a wrong method": asking({ method: "PUT", contentType: null, body: "{}" }, "method_not_allowed"),
  "a wrong limit": asking({ path: "/pets?limit=0" }, "invalid_parameter"),
  "no credential": asking(keyless, "missing_credential"),
  "create without a credential": (marks) => asking({ ...withLength(pet(marks)), ...keyless }, "missing_credential")(marks),
  "create without a name": asking(withLength("{}"), "invalid_body"),
  "create that is not JSON": asking(withLength("{"), "invalid_json"),
  "create with a text body": asking({ ...withLength("{}"), contentType: "text/plain" }, "unsupported_content_type"),
} as const satisfies Record<string, Write>

/** Well-formed requests after which the connection closes or may close. */
export const last = {
  "page and close": ending(asking(closing, 200)),
  "create and close": ending(creating(withLength, closing)),
  "create in chunks and close": ending(creating(withChunks, closing)),
  "create and keep-alive, close": ending(creating(withLength, { headers: ["Connection: keep-alive, CLOSE"] })),
  "no route and close": ending(asking({ path: "/none", ...closing }, "route_not_found")),
  "page in 1.0": ending(asking({ version: "1.0" }, 200)),
  "page in 1.0 without Host": ending(asking({ version: "1.0", host: [] }, 200)),
  "create in 1.0": ending(creating(withLength, { version: "1.0" })),
  // The connection closes if the refusal is sent before the body has been read (specification 8.7), as happens on a busy service.
  "create without a credential, in chunks": (marks) =>
    ending(asking({ ...withChunks(pet(marks)), ...keyless }, "missing_credential"), "either")(marks),
  "too large": ending(asking(withLength(oversized), "body_too_large"), "either"),
  "too large, in chunks": ending(asking(withChunks(oversized), "body_too_large"), "either"),
  // The service may refuse an ambiguous authority, but must not read a different path from the target.
  "absolute with an ambiguous user": ending(
    asking({ target: "http://%ff@a/healthz", ...keyless }, 200, "malformed_request"),
    "either",
  ),
  "absolute with a semicolon": ending(asking({ target: "http://a;b/v1/pets?limit=1" }, 200, "malformed_request"), "either"),
} as const satisfies Record<string, Write>

/** Requests that HTTP/1.1 forbids. `packages/bounded-http/test/wire-fuzz.long.ts` has all forms of them. */
export const broken = {
  CONNECT: refused(() => ({ ...tunnel, ...keyless })),
  "create without Host": refused((marks) => ({ ...withLength(pet(marks)), host: [] })),
  "an oversized head": refused(() => ({ headers: [`X-Large: ${"x".repeat(20_000)}`] }), "headers_too_large"),
  "Transfer-Encoding: foo, chunked": refusedCreate(inChunks, "Transfer-Encoding: foo, chunked"),
  "a length and chunks": refusedCreate(inChunks, "Content-Length: 5", "Transfer-Encoding: chunked"),
  "a wrong chunk": refusedCreate((content) => `zz\r\n${content}\r\n0\r\n\r\n`, "Transfer-Encoding: chunked"),
  "a wrong second chunk": refusedCreate((content) => `${chunk(content)}zz\r\n\r\n`, "Transfer-Encoding: chunked"),
  "a chunk past its size": refusedCreate((content) => `2\r\n${content}\r\n0\r\n\r\n`, "Transfer-Encoding: chunked"),
  garbage: nonsense("garbage\r\n\r\n"),
} as const satisfies Record<string, Write>

const writes = { ...orderly, ...last, ...broken }

/** The name of a message, or bytes after which message boundaries are unknown. */
export type Sent = keyof typeof writes | Uint8Array

export const writeMessage = (name: keyof typeof writes, marks: Marks): Message => writes[name](marks)
