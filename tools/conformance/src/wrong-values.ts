/** Invalid values. The suite tests each of them, and the fuzzer picks from them. */
import type { Request } from "@petstore/harness/http"

/** The words of a text: a short way to list values that are not empty and contain no white space. */
export const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

const spelledAsJson = (texts: ReadonlyArray<string>): ReadonlyArray<string> => texts.map((text) => JSON.stringify(text))

/** Values of `limit` in a query. */
export const wrongLimits = {
  belowOne: words("0 -1 -100 -0 00 -9223372036854775808"),
  aboveHundred: [...words("101 1000 2147483648 4294967297 9223372036854775807 18446744073709551617"), `1${"0".repeat(400)}`],
  notDigits: [
    ...words("1.5 1.0 5. .5 1e1 1E1 0x5 0b1 0o7 1_0 5n 5a a5 ten NaN Infinity null true"),
    ...words("%205 5%20 +5 5+ %2B5 5%0A 5%00 %D9%A5 %EF%BC%95 5,6 5;6 %225%22 [5]"),
    "",
  ],
  badlyEncoded: words("%zz % %E0%A4%A %FF"),
}

/** Values of `status` in a query. */
export const wrongStatuses = {
  notOneOfThree: [
    ...words("unknown SOLD Sold %20sold sold%20 +sold sold,pending sold%00 sol solds"),
    "",
    ...words("null * 1 [sold] __proto__ constructor toString sold%27%20OR%201=1--"),
    "s".repeat(4000),
  ],
  badlyEncoded: words("%zz sold% %C0%AF"),
}

/** Values of `cursor` in a query. */
export const wrongCursors = ["", ...words("x 1 0 -1 null AAAA eyJpZCI6MX0 %00 %zz %F0%9F%90%95 __proto__"), "A".repeat(8000)]

const swappedCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))

/** Texts that differ from a key or cursor: in any one character, in length, in case, or in a separator. */
export const distorted = (text: string): ReadonlyArray<string> =>
  [
    ...[...text].flatMap((letter, index) =>
      ["A", "B", "0"]
        .filter((other) => other !== letter)
        .slice(0, 2)
        .map((other) => text.slice(0, index) + other + text.slice(index + 1)),
    ),
    ...[text.slice(1), text.slice(0, -1), `A${text}`, `${text}A`, `${text}=`, text + text],
    ...[text.toLowerCase(), text.toUpperCase(), swappedCase(text), text.replaceAll("_", "-")],
  ].filter((other) => other !== text)

/** Path segments that cannot identify a pet in any store: not plain decimal, negative, or at or beyond the limits of int64. */
export const wrongIdentifiers = {
  notDecimal: [
    ...words("abc 1.0 1.5 1e0 0x1 1n 1_0 --1 - -0 NaN null true * ~ me __proto__ constructor"),
    ...words("%D9%A1 %EF%BC%91 %F0%9F%90%95"),
    "9".repeat(5000),
    "-".repeat(100),
  ],
  atTheEdges: words(`
    9223372036854775807 -9223372036854775808 9223372036854775808 -9223372036854775809 18446744073709551617 -1
  `),
  badlyEncoded: words("%E0%A4%A % %zz %FF %C0%AF"),
}

/** JSON values that cannot be the `note` of an order. A new order cannot have the note `null` either. */
export const wrongNotes = [
  ...words(`7 true [] {} ["x"]`),
  `"${"x".repeat(257)}"`,
  `"${"🐕".repeat(257)}"`,
  `"a\\u0000"`,
  `"\\ud83d"`,
]

export const wrongContentTypes = [
  ...words("text/plain text/json application/x-www-form-urlencoded application/jsonx application/xjson"),
  ...words("application/json-patch+json application/vnd.api+json application json */* application/*"),
  ...["multipart/form-data; boundary=x", "application /json", "application/json, text/plain"],
]

export const wrongCharsets = words("latin1 iso-8859-1 utf-16 us-ascii nonsense").map(
  (name) => `application/json; charset=${name}`,
)

export const wrongMediaTypeParameters = words("charset=utf-8;charset=latin1 x x= x=y=z").map((text) => `application/json;${text}`)

const bare = `"name":"x","categoryId":1`

export const notJson: ReadonlyArray<string> = [
  "{",
  "}",
  `{${bare}`,
  `{${bare},}`,
  `{${bare}}}`,
  `{${bare}}{${bare}}`,
  `{${bare}} x`,
  `[{${bare}}`,
  "nonsense",
  "undefined",
  "NaN",
  "'x'",
  `"`,
  `{'name':'x','categoryId':1}`,
  `{name:"x",categoryId:1}`,
  `{${bare}/* */}`,
  `// x\n{${bare}}`,
  `{"name":"x" "categoryId":1}`,
  `{"name":"x",,"categoryId":1}`,
  `{"name":"a\nb","categoryId":1}`,
  `{"name":"\\x41","categoryId":1}`,
  `{"name":"\\u12","categoryId":1}`,
  `{"name":"x","categoryId":01}`,
  ...words("+1 .5 5. 1e 1e+ 0x1 1_000 1n - --1 NaN Infinity -Infinity tru nul").map(
    (number) => `{"name":"x","categoryId":${number}}`,
  ),
  `name=x&categoryId=1`,
  "<pet/>",
  "\u00a0{}",
  "{}\0",
]

/** Values of `name` in a body, as JSON. */
export const wrongNames = {
  notText: words(`null 1 true [] ["x"] {} {"a":1}`),
  blank: spelledAsJson([
    ...["", " ", "   ", "\r\n", " \u00a0\u3000 "],
    ..."\t\n\v\f\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\ufeff",
  ]),
  tooLong: spelledAsJson(["a".repeat(1025), "é".repeat(1025), `${" ".repeat(1024)}a`, "a".repeat(20_000), "🐕".repeat(1025)]),
  withNul: [`"\\u0000"`, `"a\\u0000b"`, `"a\\u0000"`],
  withLoneSurrogate: [`"\\ud800"`, `"a\\udfffb"`, `"\\udc15\\ud83d"`, `"\\ud83d\\ud83d\\udc15"`, `"🐕\\ud83d"`],
} as const

/** Values of `categoryId` in a body, as JSON. */
export const wrongCategories = {
  notNumbers: words(`"1" "" true false null [1] [] {} {"valueOf":1} "9007199254740993"`),
  beyondInt64: [
    ...words("9223372036854775808 -9223372036854775809 9223372036854775807.5 9223372036854775808.0"),
    "9".repeat(5000),
  ],
  withFraction: words(`
    1.5 -0.5 1e-1 0.1 9007199254740993.5 9007199254740992.0000001 1.00000000000000000001 15e-1
  `),
  hugeExponent: words(`
    1e400 -1e400 1e19 1e1000000000 -1e99999999999999999999 1e-400 1e-1000000000 1e-99999999999999999999
  `),
}

/** Values of `status` in a body, as JSON. */
export const wrongPetStatuses = [
  ...words(`null "" "lost" "SOLD" "Sold"`),
  ...[`" sold"`, `"sold "`, `"sold\\u0000"`],
  ...words(`0 1 true ["sold"] {"a":"sold"} "__proto__" "constructor"`),
]

/** Lists of `Authorization` header values, none with a Bearer credential. */
export const withoutCredential: ReadonlyArray<ReadonlyArray<string>> = [
  [""],
  ["Basic dXNlcjpwYXNz"],
  ["Digest username=x"],
  ["Bearer"],
  ["Bearer "],
  ["bearer"],
]

/** Requests that a service must refuse, each for a different reason. None of them can create a pet. */
export const wrongRequests: ReadonlyArray<readonly [reason: string, request: Request]> = [
  ["no key", { authorization: [] }],
  ["an invalid key", { authorization: ["Bearer nonsense"] }],
  ["an unknown path", { path: "/nowhere" }],
  ["an unsupported method", { method: "PROPFIND" }],
  ["an invalid limit", { path: "/pets?limit=0" }],
  ["an invalid status", { path: "/pets?status=lost" }],
  ["an invalid cursor", { path: "/pets?cursor=x" }],
  ["an unknown pet", { path: "/pets/abc" }],
  ["a path outside the base address", { target: "/nowhere" }],
  ["no Host", { host: [] }],
  ["a head that is too large", { headers: [`X-Large: ${"a".repeat(20_000)}`] }],
]

/** Methods of HTTP, WebDAV and proxies that the pet collection does not support. */
export const otherMethods = words("PUT PATCH DELETE TRACE PROPFIND PROPPATCH MKCOL LOCK REPORT SEARCH PURGE")

/** Targets at or below the base path `/v1` that resemble a route. */
export const nearlyRoutes = {
  spelledOtherwise: words(`
    /v1/Pets /v1/PETS /v1/%70ets /v1/pet%73 /v1/pets;v=1 /v1/pets%20 /v1/pets%00 /v1/pets.json /v1/store%2Forders
  `),
  withSlash: ["/v1/pets/", "/v1/pets/1/", "/v1/store/orders/", "/v1/pets/?limit=1", "/v1/pets/1/2"],
  base: ["/v1", "/v1/", "/v1?limit=1", "/v1/?limit=1"],
  withEmptySegment: ["/v1//pets", "/v1///pets", "/v1/pets//1"],
  withDots: ["/v1/../v1/pets", "/v1/./pets", "/v1/x/../pets", "/v1/%2e%2e/v1/pets", "/v1/%2E/pets"],
} as const

/** Targets outside the base path `/v1` that resemble targets below it. */
export const nearlyBelow = {
  spelledOtherwise: ["/V1/pets", "/%761/pets", "/v%31/pets", "/v1%2Fpets", "/V1/pets?limit=1"],
  withEmptySegment: ["//v1/pets", "///v1/pets", "//", "//evil.example/v1/pets"],
  withDots: ["/x/../v1/pets", "/./v1/pets", "/../v1/pets", "/%2e/v1/pets", "/..%2fv1/pets"],
} as const
