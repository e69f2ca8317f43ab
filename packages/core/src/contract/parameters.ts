import { pageLimits } from "../page.js"

/** A parameter, as OpenAPI describes it. Its schema can refer to a named schema: `{ $ref: "#/$defs/<name>" }`. */
export interface Parameter {
  readonly name: string
  readonly in: "query" | "path" | "header"
  readonly description: string
  readonly required: boolean
  readonly schema: Readonly<Record<string, unknown>>
  /**
   * Consoles send examples unedited, and generated code repeats them. So only parameters have one that every operation accepts
   * beside all its other examples, and that is the same for every caller.
   */
  readonly example?: string | number | bigint
}

const schema = (name: string) => ({ $ref: `#/$defs/${name}` })

/** Said of every 64-bit integer, because generated JavaScript types say `number`. */
export const int64Note = "64 bits: JavaScript's JSON.parse rounds it beyond 2^53."

const int64 = { type: "integer", format: "int64", description: int64Note } as const

const query = <const Name extends string, const Rest extends Pick<Parameter, "description" | "schema" | "example">>(
  name: Name,
  rest: Rest,
) => ({ name, in: "query", required: false, ...rest }) as const

const path = <const Name extends string, const Text extends string, const E extends bigint>(
  name: Name,
  description: Text,
  example: E,
) => ({ name, in: "path", description, required: true, schema: int64, example }) as const

const header = <const Name extends string, const Schema extends Parameter["schema"]>(
  name: Name,
  description: string,
  schema: Schema,
) => ({ name, in: "header", description, required: false, schema }) as const

const cursor = { type: "string", minLength: 1 } as const

/** Every parameter, keyed by the name that operation descriptions use. Parameters with the same `name` can have different meanings. */
export const parameters = {
  limit: query("limit", {
    description: "Maximum number of items to return, in decimal digits.",
    schema: { type: "integer", minimum: pageLimits.minimum, maximum: pageLimits.maximum, default: pageLimits.default },
    example: 20,
  }),
  status: query("status", {
    description: "Filters by availability status. An animal without a status matches no filter.",
    schema: schema("PetStatus"),
    example: "available",
  }),
  id: query("id", {
    description:
      "Only the animals with these identifiers, 1 to 100 of them: `id=7&id=9`. Unknown identifiers are ignored. Experimental.",
    schema: { type: "array", items: int64, minItems: 1, maxItems: 100 },
  }),
  inCategory: query("categoryId", {
    description: "Only animals in this category. Experimental.",
    schema: int64,
  }),
  name: query("name", {
    description:
      "Finds animals by words, 1 to 64 characters: each word of the text must be the beginning of a word of the name. `mr whi` finds `Mr. Whiskers`, and `oneill` finds `Élan O’Neill`: case, accents and apostrophes are ignored. Experimental.",
    schema: { type: "string", minLength: 1, maxLength: 64 },
  }),
  withoutStatus: query("withoutStatus", {
    description: "Only animals without a status. Cannot be combined with `status`. Experimental.",
    schema: { type: "boolean", enum: [true] },
  }),
  direction: query("order", {
    description: "The order by `id`. Experimental.",
    schema: { type: "string", enum: ["asc", "desc"], default: "asc" },
  }),
  cursor: query("cursor", {
    description:
      "Where the page starts. Opaque: copy it from the `Link` header of the previous page, and send the same filters and `order` with it.",
    schema: cursor,
  }),
  petId: path("petId", "Identifier of the animal to fetch.", 1n),
  idempotencyKey: header(
    "Idempotency-Key",
    "A unique key of your choice for this request: 1 to 255 visible ASCII characters, quoted or bare. For at least 24 hours, a request with the same key and the same body gets the first response again and adds nothing.",
    { type: "string", minLength: 1, maxLength: 257 },
  ),
  ifNoneMatch: header(
    "If-None-Match",
    "The `ETag` of a response that you have. If it is still current, the response is 304 without a body.",
    { type: "string" },
  ),
  ifMatch: header(
    "If-Match",
    "The `ETag` of the version that you have, several such tags, or `*`. If none of them is current, nothing changes and the response is 412.",
    { type: "string" },
  ),
  ifNoneMatchWrite: header(
    "If-None-Match",
    "The opposite of `If-Match`: if one of the tags is current, nothing changes and the response is 412.",
    { type: "string" },
  ),
  stateOfOrder: query("status", {
    description: "Filters by the state of the order.",
    schema: schema("OrderStatus"),
    example: "placed",
  }),
  orderedPetId: query("petId", {
    description: "Only orders for this animal. Experimental.",
    schema: int64,
  }),
  orderId: path("orderId", "Identifier of the order.", 1n),
  categoryCursor: query("cursor", {
    description: "Where the page starts. Opaque: copy it from the `Link` header of the previous page.",
    schema: cursor,
  }),
  changedPetId: query("petId", {
    description: "Only changes of this animal and its orders, also after its removal.",
    schema: int64,
  }),
  changeDirection: query("order", {
    description: "`asc` begins with the oldest kept change, `desc` with the newest.",
    schema: { type: "string", enum: ["asc", "desc"], default: "asc" },
  }),
  changeCursor: query("cursor", {
    description:
      "Where the page starts. Opaque: copy it from the `Link` header of the previous page, and send the same `petId` and `order` with it. You may keep it for as long as changes are kept.",
    schema: cursor,
  }),
  wait: query("wait", {
    description:
      "With the order `asc`: how many seconds the response waits if no change is behind the cursor. If nothing happens in this time, it is an empty page. At most 10 requests of one key may wait.",
    schema: { type: "integer", minimum: 0, maximum: 30, default: 0 },
  }),
  categoryId: path("categoryId", "Identifier of the category, chosen by the caller. Animals refer to it by `categoryId`.", 7n),
  requestId: header(
    "X-Request-Id",
    "An identifier of your choice for this request: 1 to 128 characters of `A-Za-z0-9._-`. The response repeats it, and our log contains it.",
    { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$", maxLength: 128 },
  ),
} as const satisfies Readonly<Record<string, Parameter>>

/** A parameter's name in operation descriptions. */
export type ParameterName = keyof typeof parameters

/** The names in a URL's query, of those parameters of an operation that belong there. */
export const queryParameterNames = (names: ReadonlyArray<ParameterName>): ReadonlyArray<string> =>
  names.map((name) => parameters[name]).flatMap((parameter) => (parameter.in === "query" ? [parameter.name] : []))
