/** The messages in a conversation: well-formed requests in many forms, and broken requests. Each lists its allowed responses. */
import type { Code } from "@petstore/harness/expectations"
import { chunked, Http, type Request } from "@petstore/harness/http"

/** The variable parts of a message: the host, the key, and the unique pet name and request ID. */
export interface Marks {
  readonly host: string
  readonly key: string
  /** The name of the pet that this message creates, if any. */
  readonly name: string
  /** The `X-Request-Id` of this message, if any. */
  readonly requestId: string
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

const having = (request: Request, ...lines: ReadonlyArray<string>): Request => ({
  ...request,
  headers: [...lines, ...(request.headers ?? [])],
})

const encode = ({ host, key, requestId }: Marks, request: Request): Buffer => {
  const marked = having({ path: "/pets?limit=1", keepAlive: true, ...request }, `X-Request-Id: ${requestId}`)
  return new Http(new URL(`http://${host}/v1`), key).encode(marked)
}

/** A request that gets a response and leaves the connection open. */
const asking =
  (request: Request, response: number | Code): Write =>
  (marks) => ({
    bytes: encode(marks, request),
    method: request.method ?? "GET",
    responses: [response],
    afterwards: "stays",
    requestId: marks.requestId,
  })

const keyless = { authorization: [] } as const

const posting = { method: "POST", path: "/pets" } as const

const withLength = (content: string): Request => ({ ...posting, body: content })

const withChunks = (content: string): Request => ({ ...posting, chunks: halves(content) })

const creating =
  (request: (marks: Marks) => Request): Write =>
  (marks) => ({ ...asking(request(marks), 201)(marks), creates: marks.name })

const ending =
  (write: Write): Write =>
  (marks) => ({ ...write(marks), afterwards: "ends" })

const endingOrNot =
  (write: Write): Write =>
  (marks) => ({ ...write(marks), afterwards: "either" })

/** A request that HTTP/1.1 does not allow. The service refuses it, and executes neither this request nor any later one. */
const refused =
  (request: (marks: Marks) => Request, ...codes: ReadonlyArray<Code>): Write =>
  (marks) => ({
    bytes: encode(marks, request(marks)),
    method: request(marks).method ?? "GET",
    responses: codes.length === 0 ? ["malformed_request"] : codes,
    afterwards: "ends",
  })

/** A create request in which only the framing of the body and these headers are wrong. */
const refusedCreate = (body: (content: string) => string | Uint8Array, ...lines: ReadonlyArray<string>): Write =>
  refused((marks) => having({ ...posting, raw: body(pet(marks)) }, json, ...lines))

/** Bytes that are not a request. */
const nonsense =
  (text: string): Write =>
  () => ({
    bytes: Buffer.from(text),
    method: "GET",
    responses: ["malformed_request"],
    afterwards: "ends",
  })

const whole = (content: string): string => content

const inChunks = (content: string): Uint8Array => chunked(halves(content))

const oversized = "x".repeat(70_000)

const tunnel = { method: "CONNECT", target: "example.com:443", host: ["example.com:443"] }

/** Requests that leave the connection open. The simplest is first, because failures shrink towards it. */
export const orderly = {
  page: asking({}, 200),
  "a page of 100": asking({ path: "/pets?limit=100" }, 200),
  create: creating((marks) => withLength(pet(marks))),
  "create in chunks": creating((marks) => withChunks(pet(marks))),
  "create in CHUNKS": creating((marks) => having({ ...posting, raw: inChunks(pet(marks)) }, json, "Transfer-Encoding: CHUNKED")),
  "create once": creating((marks) => having(withLength(pet(marks)), `Idempotency-Key: ${marks.name}`)),
  "create, expecting 100": (marks) => ({
    ...creating(() => having(withLength(pet(marks)), "Expect: 100-continue"))(marks),
    expectsContinue: true,
  }),
  "create, expecting nonsense": creating((marks) => having(withLength(pet(marks)), "Expect: nonsense")),
  "create, absolute": creating((marks) => ({ ...withLength(pet(marks)), target: `http://${marks.host}/v1/pets` })),
  pet: asking({ path: "/pets/1" }, 200),
  "no pet": asking({ path: "/pets/999999999999999" }, "pet_not_found"),
  head: asking({ method: "HEAD" }, 200),
  "head of an unknown route": asking({ method: "HEAD", path: "/none" }, 404),
  options: asking({ method: "OPTIONS" }, 204),
  alive: asking({ target: "/healthz", ...keyless }, 200),
  "an empty line before": (marks) => {
    const message = asking({}, 200)(marks)
    return { ...message, bytes: Buffer.concat([Buffer.from("\r\n"), message.bytes]) }
  },
  "a body to GET": asking({ body: "{}" }, 200),
  "no route": asking({ path: "/none" }, "route_not_found"),
  "a wrong method": asking({ method: "PUT", contentType: null, body: "{}" }, "method_not_allowed"),
  "a wrong limit": asking({ path: "/pets?limit=0" }, "invalid_parameter"),
  "no credential": asking(keyless, "missing_credential"),
  "create without a credential": (marks) => asking({ ...withLength(pet(marks)), ...keyless }, "missing_credential")(marks),
  "create without a name": asking(withLength("{}"), "invalid_body"),
  "create that is not JSON": asking(withLength("{"), "invalid_json"),
  "create with a text body": (marks) =>
    asking({ ...posting, contentType: "text/plain", body: "{}" }, "unsupported_content_type")(marks),
} as const satisfies Record<string, Write>

/** Well-formed requests after which the connection closes or may close. */
export const last = {
  "page and close": ending(asking(having({}, "Connection: close"), 200)),
  "create and close": ending(creating((marks) => having(withLength(pet(marks)), "Connection: close"))),
  "create in chunks and close": ending(creating((marks) => having(withChunks(pet(marks)), "Connection: close"))),
  "create and keep-alive, close": ending(creating((marks) => having(withLength(pet(marks)), "Connection: keep-alive, CLOSE"))),
  "no route and close": ending(asking(having({ path: "/none" }, "Connection: close"), "route_not_found")),
  "page in 1.0": ending(asking({ version: "1.0" }, 200)),
  "page in 1.0 without Host": ending(asking({ version: "1.0", host: [] }, 200)),
  "create in 1.0": ending(creating((marks) => ({ ...withLength(pet(marks)), version: "1.0" }))),
  "page in 1.0, kept alive": ending(asking(having({ version: "1.0" }, "Connection: keep-alive"), 200)),
  "create in 1.0, kept alive": ending(
    creating((marks) => ({ ...having(withLength(pet(marks)), "Connection: keep-alive"), version: "1.0" })),
  ),
  "create, offering an upgrade": ending(
    creating((marks) =>
      having(withLength(pet(marks)), "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"),
    ),
  ),
  "upgrade to websocket": ending(
    asking(
      having(
        {},
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      ),
      200,
    ),
  ),
  // The connection closes if the refusal is sent before the body has been read (specification 8.7), as happens on a busy service.
  "create without a credential, in chunks": endingOrNot((marks) =>
    asking({ ...withChunks(pet(marks)), ...keyless }, "missing_credential")(marks),
  ),
  "too large": endingOrNot(asking(withLength(oversized), "body_too_large")),
  "too large, in chunks": endingOrNot(asking(withChunks(oversized), "body_too_large")),
  // The service may refuse an ambiguous authority, but must not read a different path from the target.
  "absolute with an ambiguous user": (marks) => ({
    ...asking({ target: "http://%ff@a/healthz", ...keyless }, 200)(marks),
    responses: [200, "malformed_request"],
    afterwards: "either",
  }),
  "absolute with a semicolon": (marks) => ({
    ...asking({ target: "http://a;b/v1/pets?limit=1" }, 200)(marks),
    responses: [200, "malformed_request"],
    afterwards: "either",
  }),
} as const satisfies Record<string, Write>

/** Requests that HTTP/1.1 forbids, and requests for features that the service lacks. */
export const broken = {
  CONNECT: refused(() => ({ ...tunnel, ...keyless })),
  "CONNECT with a body": refused((marks) => having({ ...tunnel, raw: pet(marks) }, "Content-Length: 5")),
  "create without Host": refused((marks) => ({ ...withLength(pet(marks)), host: [] })),
  "create with two Hosts": refused((marks) => ({ ...withLength(pet(marks)), host: [marks.host, marks.host] })),
  "page without Host": refused(() => ({ host: [] })),
  "an oversized head": refused(() => having({}, `X-Large: ${"x".repeat(20_000)}`), "headers_too_large"),
  "Transfer-Encoding: foo, chunked": refusedCreate(inChunks, "Transfer-Encoding: foo, chunked"),
  "Transfer-Encoding: gzip, chunked": refusedCreate(inChunks, "Transfer-Encoding: gzip, chunked"),
  "Transfer-Encoding: chunked, chunked": refusedCreate(inChunks, "Transfer-Encoding: chunked, chunked"),
  "two Transfer-Encodings": refusedCreate(inChunks, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
  "two Transfer-Encodings, one unknown": refusedCreate(inChunks, "Transfer-Encoding: foo", "Transfer-Encoding: chunked"),
  "Transfer-Encoding: chunked, identity": refusedCreate(inChunks, "Transfer-Encoding: chunked, identity"),
  "Transfer-Encoding: xchunked": refusedCreate(inChunks, "Transfer-Encoding: xchunked"),
  "Transfer-Encoding: foo": refusedCreate(whole, "Transfer-Encoding: foo"),
  "Transfer-Encoding in 1.0": refused((marks) => ({ ...withChunks(pet(marks)), version: "1.0" })),
  "Transfer-Encoding in 1.0, kept alive": refused((marks) => ({
    ...having(withChunks(pet(marks)), "Connection: keep-alive"),
    version: "1.0",
  })),
  "a length and chunks": refusedCreate(inChunks, "Content-Length: 5", "Transfer-Encoding: chunked"),
  "two lengths": refusedCreate(whole, "Content-Length: 2", "Content-Length: 3"),
  "a wrong chunk": refusedCreate((content) => `zz\r\n${content}\r\n0\r\n\r\n`, "Transfer-Encoding: chunked"),
  "a wrong second chunk": refusedCreate((content) => `${chunk(content)}zz\r\n\r\n`, "Transfer-Encoding: chunked"),
  "a chunk past its size": refusedCreate((content) => `2\r\n${content}\r\n0\r\n\r\n`, "Transfer-Encoding: chunked"),
  "no version": nonsense("GET /v1/pets\r\n\r\n"),
  garbage: nonsense("garbage\r\n\r\n"),
  "HTTP/2": nonsense("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  "a space before the colon": refusedCreate(whole, "X-Name : value"),
  "a folded line": refusedCreate(whole, "X-Name: a\r\n b"),
  "a control character": refusedCreate(whole, "X-Name: a\u0001b"),
  "a target that is not a path": refused(() => ({ target: "v1/pets" })),
} as const satisfies Record<string, Write>

export type Orderly = keyof typeof orderly
export type Last = keyof typeof last
export type Broken = keyof typeof broken

/** The name of a message, or bytes after which message boundaries are unknown. */
export type Sent = Orderly | Last | Broken | Uint8Array

const writes: Readonly<Record<Orderly | Last | Broken, Write>> = { ...orderly, ...last, ...broken }

export const writeMessage = (name: Orderly | Last | Broken, marks: Marks): Message => writes[name](marks)
