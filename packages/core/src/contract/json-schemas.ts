/** The JSON Schemas of requests and responses. Those of requests, pets and orders come from the decoders' own schemas. */
import * as JSONSchema from "@effect/schema/JSONSchema"
import * as Schema from "@effect/schema/Schema"
import { newCategoryFields, newCategorySchema } from "../categories/new-category.js"
import { changeOperations } from "../changes/change.js"
import { AccountName, KeyLabel } from "../credentials/credential.js"
import { deployments } from "../credentials/deployment.js"
import { Int64 } from "../json/int64.js"
import { newOrderSchema, orderChangeSchema, orderSchema, orderStatusSchema, Timestamp } from "../orders/order-schema.js"
import { pageLimits } from "../page.js"
import { petStatuses } from "../pets/pet.js"
import { newPetSchema, petCorrectionSchema, petSchema, petStatusSchema } from "../pets/pet-schema.js"
import { errorCodes } from "./failures.js"
import { int64Note, parameters } from "./parameters.js"

const described = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.propertySignature(schema).annotations({ description })

const Count = Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } })

const Inventory = Schema.Struct({
  ...Object.fromEntries(petStatuses.map((status) => [status, described(Count, `How many pets have the status ${status}.`)])),
  withoutStatus: described(Count, "How many pets have no status."),
  total: described(Count, "How many pets there are."),
}).annotations({ identifier: "Inventory", description: "How many pets there are, by status. Experimental." })

const Category = Schema.Struct({
  id: described(Int64, "Identifier that the caller chose: the `categoryId` of pets."),
  ...newCategoryFields,
}).annotations({ identifier: "Category", description: "The name of a category. Experimental." })

const Account = Schema.Struct({ id: Schema.String, name: AccountName })

const Me = Schema.Struct({
  account: Account,
  key: Schema.Struct({
    id: described(Schema.String, "Identifier of the API key, which is not a secret."),
    label: Schema.optionalWith(KeyLabel, { exact: true }),
    readOnly: described(Schema.Boolean, "Whether the key may only read."),
    expiresAt: Schema.optionalWith(Timestamp, { exact: true }),
  }),
  deployment: Schema.Literal(...deployments),
}).annotations({ identifier: "Me", description: "The caller: an API key and its account. Experimental." })

/** The resources on one side of a change. */
const Touched = Schema.Struct({
  pet: Schema.optional(petSchema),
  order: Schema.optional(orderSchema),
  category: Schema.optional(Category),
})

const Change = Schema.Struct({
  id: described(Schema.String, "Unique and stable: drop a change that you have seen. Letters, digits, `-` and `_`."),
  at: described(Timestamp, "When it happened, in UTC, to the millisecond."),
  operation: described(Schema.Literal(...changeOperations), "What was done."),
  by: Schema.optional(
    Schema.Union(
      Schema.Struct({
        account: Account,
        key: Schema.Struct({ id: Schema.String, label: Schema.optional(KeyLabel) }),
      }),
      Schema.Struct({ command: Schema.String }),
    ),
  ).annotations({
    description:
      "The account and API key of the caller, or the operator's command. Absent if another program wrote to the store.",
  }),
  requestId: Schema.optional(Schema.String.annotations({ jsonSchema: parameters.requestId.schema })).annotations({
    description: "The `X-Request-Id` of the request.",
  }),
  before: Schema.optional(Touched).annotations({ description: "The resources as they were. Absent if the operation made them." }),
  after: Schema.optional(Touched).annotations({
    description: "The resources as they became. Absent if the operation removed them.",
  }),
}).annotations({ identifier: "Change", description: "One change of pets, orders or categories. Experimental." })

const HttpStatus = Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 400, maximum: 599 } })

const ErrorObject = Schema.Struct({
  code: described(Schema.Literal(...errorCodes), "Machine-readable error code."),
  message: described(Schema.String, "Human-readable description."),
  status: described(HttpStatus, "The HTTP status code, the same as the response's."),
}).annotations({ identifier: "Error", description: "The body of every failure: exactly these three members." })

/** A JSON Schema (draft 2020-12) as plain data. It refers to another schema with `{ $ref: "#/$defs/<name>" }`. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** Writes enumerations of texts and `null` with a `type`, which code generators look for, and adds to every 64-bit integer what it is. */
const forGenerators = (_keyword: string, schema: unknown): unknown => {
  const { enum: values, format, description }: { readonly [keyword: string]: unknown } = Object(schema)
  if (format === "int64") return { ...Object(schema), description: `${description ?? ""} ${int64Note}`.trimStart() }
  if (!Array.isArray(values)) return schema
  if (values.length === 1 && values[0] === null) return { type: "null" }
  return values.every((value) => typeof value === "string") ? { type: "string", ...Object(schema) } : schema
}

/** A request may have members that its schema does not name; they are ignored. A response never has such members. */
const definitionOf = <A, I>(name: string, schema: Schema.Schema<A, I>, direction: "in" | "out"): JsonSchema => {
  const { additionalProperties: _, ...definition } = JSON.parse(
    JSON.stringify(JSONSchema.make(schema).$defs?.[name]),
    forGenerators,
  )
  return direction === "out" && definition.type === "object" ? { ...definition, additionalProperties: false } : definition
}

const ascending = "in ascending order of their identifiers"

const pageOf = <A, I>(item: Schema.Schema<A, I>, identifier: string, more = "", order = ascending): JsonSchema => {
  const description = `${identifier}, ${order}.${more}`
  const page = definitionOf(identifier, Schema.Array(item).annotations({ identifier, description }), "out")
  return { ...page, maxItems: pageLimits.maximum }
}

/**
 * The schemas under their names in the specification (sections 2 and 4.5). A schema stands before those that refer to it,
 * because some generators write code that runs from top to bottom.
 */
export const jsonSchemas = {
  PetStatus: definitionOf("PetStatus", petStatusSchema, "in"),
  Pet: definitionOf("Pet", petSchema, "out"),
  NewPet: definitionOf("NewPet", newPetSchema, "in"),
  PetCorrection: definitionOf("PetCorrection", petCorrectionSchema, "in"),
  Pets: pageOf(petSchema, "Pets"),
  OrderStatus: definitionOf("OrderStatus", orderStatusSchema, "out"),
  Order: definitionOf("Order", orderSchema, "out"),
  NewOrder: definitionOf("NewOrder", newOrderSchema, "in"),
  OrderChange: definitionOf("OrderChange", orderChangeSchema, "in"),
  Orders: pageOf(orderSchema, "Orders", " Experimental."),
  Inventory: definitionOf("Inventory", Inventory, "out"),
  Me: definitionOf("Me", Me, "out"),
  Category: definitionOf("Category", Category, "out"),
  NewCategory: definitionOf("NewCategory", newCategorySchema, "in"),
  Categories: pageOf(Category, "Categories", " Experimental."),
  Change: definitionOf("Change", Change, "out"),
  Changes: pageOf(Change, "Changes", " Experimental.", "in the order in which they happened, or newest first"),
  Error: definitionOf("Error", ErrorObject, "out"),
} as const satisfies Readonly<Record<string, JsonSchema>>
