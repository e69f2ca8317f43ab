/** The parameters of the operations, as the contract describes them. */
import { pageLimits } from "@petstore/core"
import type { Parameter, Reference } from "@petstore/docs/contract"
import { schema } from "./answers.js"

/** The components, by the name they are referred to. */
export const parameters = {
  limit: {
    name: "limit",
    in: "query",
    description: "Maximum number of animals, or orders, returned, in decimal digits.",
    required: false,
    schema: { type: "integer", ...{ minimum: pageLimits.minimum, maximum: pageLimits.maximum, default: pageLimits.default } },
    example: 20,
  },
  status: {
    name: "status",
    in: "query",
    description: "Filters by availability status. An animal without a status matches no filter.",
    required: false,
    schema: { ...schema("PetStatus") },
    example: "available",
  },
  cursor: {
    name: "cursor",
    in: "query",
    description:
      "Where the page starts: opaque, taken from the `Link` header of the page before, with the same `status` beside it.",
    required: false,
    schema: { type: "string", minLength: 1 },
    example: "1B4LL5pets_available_9007199254740993",
  },
  orderCursor: {
    name: "cursor",
    in: "query",
    description: "Where the page starts, as for animals, with the same `status` beside it.",
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
    example: 9007199254740993n,
  },
  idempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A name of your own for this addition, 1 to 255 visible ASCII characters, quoted or bare. For 24 hours a request with the same key and the same body gets the first answer again and adds nothing.",
    required: false,
    schema: { type: "string", minLength: 1, maxLength: 257 },
    example: "7f9c3a52-6d0e-4f4b-9c55-0c1d5f6f3a10",
  },
  ifNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "The `ETag` of an answer you have: if it is still the current one, the answer is 304 without a body.",
    required: false,
    schema: { type: "string" },
    example: '"9Xk1cBvUq0yC7hJmTf2w3a"',
  },
  orderStatus: {
    name: "status",
    in: "query",
    description: "Filters by the state of the order.",
    required: false,
    schema: { ...schema("OrderStatus") },
    example: "placed",
  },
  orderId: {
    name: "orderId",
    in: "path",
    description: "Identifier of the order.",
    required: true,
    schema: { type: "integer", format: "int64" },
    example: 9007199254740993n,
  },
  requestId: {
    name: "X-Request-Id",
    in: "header",
    description: "A name of your own for this request, 1 to 128 of `A-Za-z0-9._-`. It comes back and stands in our log.",
    required: false,
    schema: { type: "string" },
    example: "import-2026-11-20.17",
  },
} as const satisfies Readonly<Record<string, Parameter>>

/** A reference to a parameter of the components. */
export const parameter = (name: keyof typeof parameters): Reference => ({ $ref: `#/components/parameters/${name}` })
