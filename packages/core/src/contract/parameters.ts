import { pageLimits } from "../page.js"

/** A parameter, as OpenAPI describes it. Its schema can refer to a named schema: `{ $ref: "#/$defs/<name>" }`. */
export interface Parameter {
  readonly name: string
  readonly in: "query" | "path" | "header"
  readonly description: string
  readonly required: boolean
  readonly schema: Readonly<Record<string, unknown>>
  readonly example: string | number | bigint
}

const schema = (name: string) => ({ $ref: `#/$defs/${name}` })

const int64 = { type: "integer", format: "int64" } as const

const query = <
  const Name extends string,
  const Text extends string,
  const S extends Parameter["schema"],
  const E extends Parameter["example"],
>(
  name: Name,
  { description, schema, example }: { readonly description: Text; readonly schema: S; readonly example: E },
) => ({ name, in: "query", description, required: false, schema, example }) as const

const path = <const Name extends string, const Text extends string, const E extends bigint>(
  name: Name,
  description: Text,
  example: E,
) => ({ name, in: "path", description, required: true, schema: int64, example }) as const

/** Every parameter, keyed by the name that operation descriptions use. Parameters with the same `name` can have different meanings. */
export const parameters = {
  limit: query("limit", {
    description: "Maximum number of animals or orders to return, in decimal digits.",
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
    example: 1n,
  }),
  inCategory: query("categoryId", {
    description: "Only animals in this category. Experimental.",
    schema: int64,
    example: 7,
  }),
  name: query("name", {
    description:
      "Finds animals by words, 1 to 64 characters: each word of the text must be the beginning of a word of the name. `mr whi` finds `Mr. Whiskers`, and `oneill` finds `Élan O’Neill`: case, accents and apostrophes are ignored. Experimental.",
    schema: { type: "string", minLength: 1, maxLength: 64 },
    example: "bel",
  }),
  withoutStatus: query("withoutStatus", {
    description: "Only animals without a status. Cannot be combined with `status`. Experimental.",
    schema: { type: "boolean", enum: [true] },
    example: "true",
  }),
  order: query("order", {
    description: "The order of the animals by `id`. Experimental.",
    schema: { type: "string", enum: ["asc", "desc"], default: "asc" },
    example: "desc",
  }),
  cursor: query("cursor", {
    description:
      "Where the page starts. Opaque: copy it from the `Link` header of the previous page, and send the same filters and `order` with it.",
    schema: { type: "string", minLength: 1 },
    example: "1B4LL5pets_available_9007199254740993",
  }),
  orderCursor: query("cursor", {
    description:
      "Where the page starts. Opaque: copy it from the `Link` header of the previous page, and send the same filters with it.",
    schema: { type: "string", minLength: 1 },
    example: "18ZYC0orders_placed_9007199254740995",
  }),
  petId: path("petId", "Identifier of the animal to fetch.", 1n),
  idempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A unique key of your choice for this request: 1 to 255 visible ASCII characters, quoted or bare. For at least 24 hours, a request with the same key and the same body gets the first response again and adds nothing.",
    required: false,
    schema: { type: "string", minLength: 1, maxLength: 257 },
    example: "7f9c3a52-6d0e-4f4b-9c55-0c1d5f6f3a10",
  },
  ifNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "The `ETag` of a response that you have. If it is still current, the response is 304 without a body.",
    required: false,
    schema: { type: "string" },
    example: '"9Xk1cBvUq0yC7hJmTf2w3a"',
  },
  ifMatch: {
    name: "If-Match",
    in: "header",
    description:
      "The `ETag` of the version that you have, several such tags, or `*`. If none of them is current, nothing changes and the response is 412.",
    required: false,
    schema: { type: "string" },
    example: '"9Xk1cBvUq0yC7hJmTf2w3a"',
  },
  ifNoneMatchWrite: {
    name: "If-None-Match",
    in: "header",
    description: "The opposite of `If-Match`: if one of the tags is current, nothing changes and the response is 412.",
    required: false,
    schema: { type: "string" },
    example: '"9Xk1cBvUq0yC7hJmTf2w3a"',
  },
  orderStatus: query("status", {
    description: "Filters by the state of the order.",
    schema: schema("OrderStatus"),
    example: "placed",
  }),
  orderedPetId: query("petId", {
    description: "Only orders for this animal. Experimental.",
    schema: int64,
    example: 1n,
  }),
  orderId: path("orderId", "Identifier of the order.", 1n),
  categoryCursor: query("cursor", {
    description: "Where the page starts. Opaque: copy it from the `Link` header of the previous page.",
    schema: { type: "string", minLength: 1 },
    example: "1VYGXrcategories__9007199254740993",
  }),
  categoryId: path("categoryId", "Identifier of the category, chosen by the caller. Animals refer to it by `categoryId`.", 7n),
  requestId: {
    name: "X-Request-Id",
    in: "header",
    description:
      "An identifier of your choice for this request: 1 to 128 characters of `A-Za-z0-9._-`. The response repeats it, and our log contains it.",
    required: false,
    schema: { type: "string" },
    example: "import-2026-11-20.17",
  },
} as const satisfies Readonly<Record<string, Parameter>>

/** A parameter's name in operation descriptions. */
export type ParameterName = keyof typeof parameters

/** The names in a URL's query, of those parameters of an operation that belong there. */
export const queryParameterNames = (names: ReadonlyArray<ParameterName>): ReadonlyArray<string> =>
  names.map((name) => parameters[name]).flatMap((parameter) => (parameter.in === "query" ? [parameter.name] : []))
