import { pageLimits } from "../page.js"

/** A parameter, as OpenAPI describes it. It refers to a named schema with `{ $ref: "#/$defs/<name>" }`. */
export interface Parameter {
  readonly name: string
  readonly in: "query" | "path" | "header"
  readonly description: string
  readonly required: boolean
  readonly schema: Readonly<Record<string, unknown>>
  readonly example: string | number | bigint
}

const schema = (name: string) => ({ $ref: `#/$defs/${name}` })

/** Every parameter, under its name in operation descriptions. Parameters with the same `name` can have different meanings. */
export const parameters = {
  limit: {
    name: "limit",
    in: "query",
    description: "Maximum number of animals or orders to return, in decimal digits.",
    required: false,
    schema: { type: "integer", minimum: pageLimits.minimum, maximum: pageLimits.maximum, default: pageLimits.default },
    example: 20,
  },
  status: {
    name: "status",
    in: "query",
    description: "Filters by availability status. An animal without a status matches no filter.",
    required: false,
    schema: schema("PetStatus"),
    example: "available",
  },
  id: {
    name: "id",
    in: "query",
    description:
      "Only the animals with these 1 to 100 identifiers: `id=7&id=9`. Animals that do not exist are left out. Experimental.",
    required: false,
    schema: { type: "array", items: { type: "integer", format: "int64" }, minItems: 1, maxItems: 100 },
    example: 1n,
  },
  inCategory: {
    name: "categoryId",
    in: "query",
    description: "Only animals in this category. Experimental.",
    required: false,
    schema: { type: "integer", format: "int64" },
    example: 7,
  },
  name: {
    name: "name",
    in: "query",
    description:
      "Only animals whose names begin with this text, 1 to 64 characters. Upper and lower case are the same, and so are letters with and without marks: `elan` finds `Élan`. The animals come in the order of their names, without `order`. Experimental.",
    required: false,
    schema: { type: "string", minLength: 1, maxLength: 64 },
    example: "bel",
  },
  order: {
    name: "order",
    in: "query",
    description: "The order of the animals by `id`. Experimental.",
    required: false,
    schema: { type: "string", enum: ["asc", "desc"], default: "asc" },
    example: "desc",
  },
  cursor: {
    name: "cursor",
    in: "query",
    description:
      "Where the page starts. Opaque: copy it from the `Link` header of the previous page, and send the same filters and `order` with it.",
    required: false,
    schema: { type: "string", minLength: 1 },
    example: "1B4LL5pets_available_9007199254740993",
  },
  orderCursor: {
    name: "cursor",
    in: "query",
    description:
      "Where the page starts. Opaque: copy it from the `Link` header of the previous page, and send the same filters with it.",
    required: false,
    schema: { type: "string", minLength: 1 },
    example: "18ZYC0orders_placed_9007199254740995",
  },
  petId: {
    name: "petId",
    in: "path",
    description: "Identifier of the animal to fetch.",
    required: true,
    schema: { type: "integer", format: "int64" },
    example: 1n,
  },
  idempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A name of your choice for this addition: 1 to 255 visible ASCII characters, quoted or bare. For at least 24 hours, a request with the same key and the same body gets the first response again and adds nothing.",
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
      "The `ETag` of what you have, or several, or `*`. If none of them is current, nothing changes and the response is 412. Weak tags never match.",
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
  orderStatus: {
    name: "status",
    in: "query",
    description: "Filters by the state of the order.",
    required: false,
    schema: schema("OrderStatus"),
    example: "placed",
  },
  orderedPetId: {
    name: "petId",
    in: "query",
    description: "Only orders for this animal. Experimental.",
    required: false,
    schema: { type: "integer", format: "int64" },
    example: 1n,
  },
  orderId: {
    name: "orderId",
    in: "path",
    description: "Identifier of the order.",
    required: true,
    schema: { type: "integer", format: "int64" },
    example: 1n,
  },
  categoryCursor: {
    name: "cursor",
    in: "query",
    description: "Where the page starts. Opaque: copy it from the `Link` header of the previous page.",
    required: false,
    schema: { type: "string", minLength: 1 },
    example: "1VYGXrcategories__9007199254740993",
  },
  categoryId: {
    name: "categoryId",
    in: "path",
    description: "Identifier of the category, which the caller chooses: the `categoryId` of animals.",
    required: true,
    schema: { type: "integer", format: "int64" },
    example: 7n,
  },
  requestId: {
    name: "X-Request-Id",
    in: "header",
    description:
      "A name of your choice for this request: 1 to 128 characters of `A-Za-z0-9._-`. The response repeats it, and our log contains it.",
    required: false,
    schema: { type: "string" },
    example: "import-2026-11-20.17",
  },
} as const satisfies Readonly<Record<string, Parameter>>

/** A parameter's name in operation descriptions. */
export type ParameterName = keyof typeof parameters
