/** The JSON Schemas of requests and responses. Those of requests, pets and orders come from the decoders' own schemas. */
import * as JSONSchema from "@effect/schema/JSONSchema"
import * as Schema from "@effect/schema/Schema"
import { newCategoryFields, newCategorySchema } from "../categories/new-category.js"
import { Int64 } from "../json/int64.js"
import { newOrderSchema, orderSchema, orderStatusSchema } from "../orders/order-schema.js"
import { petStatuses } from "../pets/pet.js"
import { newPetSchema, petCorrectionSchema, petSchema, petStatusSchema } from "../pets/pet-schema.js"
import { errorCodes } from "./failures.js"

const listOf = <A, I>(item: Schema.Schema<A, I>, identifier: string, more = "") =>
  Schema.Array(item).annotations({ identifier, description: `${identifier}, in ascending order of their identifiers.${more}` })

const Count = Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } })

const Inventory = Schema.Struct({
  ...Object.fromEntries(
    petStatuses.map((status) => [
      status,
      Schema.propertySignature(Count).annotations({ description: `How many pets have the status ${status}.` }),
    ]),
  ),
  withoutStatus: Schema.propertySignature(Count).annotations({ description: "How many pets have no status." }),
  total: Schema.propertySignature(Count).annotations({ description: "How many pets there are." }),
}).annotations({ identifier: "Inventory", description: "How many pets there are, by status. Experimental." })

const Category = Schema.Struct({
  id: Schema.propertySignature(Int64).annotations({ description: "Identifier that the caller chose: the `categoryId` of pets." }),
  ...newCategoryFields,
}).annotations({ identifier: "Category", description: "The name of a category. Experimental." })

const HttpStatus = Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 400, maximum: 599 } })

const ErrorObject = Schema.Struct({
  code: Schema.propertySignature(Schema.Literal(...errorCodes)).annotations({ description: "Machine-readable error code." }),
  message: Schema.propertySignature(Schema.String).annotations({ description: "Human-readable description." }),
  status: Schema.propertySignature(HttpStatus).annotations({ description: "The HTTP status code, the same as the response's." }),
}).annotations({ identifier: "Error", description: "The body of every failure: exactly these three members." })

/** A JSON Schema (draft 2020-12) as plain data. It refers to another schema with `{ $ref: "#/$defs/<name>" }`. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** Adds a `type` to enumerations of texts, because code generators look for it. */
const withEnumType = (_keyword: string, schema: unknown): unknown => {
  const { enum: values }: { readonly enum?: unknown } = Object(schema)
  const isOfTexts = Array.isArray(values) && values.every((value) => typeof value === "string")
  return isOfTexts ? { type: "string", ...Object(schema) } : schema
}

/** A request may have members that its schema does not name; they are ignored. A response never has such members. */
const definitionOf = <A, I>(name: string, schema: Schema.Schema<A, I>, direction: "in" | "out"): JsonSchema => {
  const { additionalProperties: _, ...definition } = JSON.parse(
    JSON.stringify(JSONSchema.make(schema).$defs?.[name]),
    withEnumType,
  )
  return direction === "out" && definition.type === "object" ? { ...definition, additionalProperties: false } : definition
}

/** The schemas under their names in the specification (sections 2 and 4.5). */
export const jsonSchemas = {
  Pet: definitionOf("Pet", petSchema, "out"),
  NewPet: definitionOf("NewPet", newPetSchema, "in"),
  PetCorrection: definitionOf("PetCorrection", petCorrectionSchema, "in"),
  PetStatus: definitionOf("PetStatus", petStatusSchema, "in"),
  Pets: definitionOf("Pets", listOf(petSchema, "Pets"), "out"),
  Order: definitionOf("Order", orderSchema, "out"),
  NewOrder: definitionOf("NewOrder", newOrderSchema, "in"),
  OrderStatus: definitionOf("OrderStatus", orderStatusSchema, "out"),
  Orders: definitionOf("Orders", listOf(orderSchema, "Orders", " Experimental."), "out"),
  Inventory: definitionOf("Inventory", Inventory, "out"),
  Category: definitionOf("Category", Category, "out"),
  NewCategory: definitionOf("NewCategory", newCategorySchema, "in"),
  Categories: definitionOf("Categories", listOf(Category, "Categories", " Experimental."), "out"),
  Error: definitionOf("Error", ErrorObject, "out"),
} as const satisfies Readonly<Record<string, JsonSchema>>
