/**
 * The contract: the OpenAPI 3.1 document, made from the schemas that validate,
 * the list of error codes and the constants that the service itself uses.
 */
import { type JsonSchema, jsonSchemas } from "@petstore/core"
import { stringifyExactJson } from "@petstore/core/exact-json"
import type { OpenApiDocument, ServerEntry } from "@petstore/docs/contract"
import { errorReference } from "./answers.js"
import { errorExamples } from "./error-guide.js"
import { headers } from "./headers.js"
import { paths } from "./operations.js"
import { parameters } from "./parameters.js"

export type { OpenApiDocument } from "@petstore/docs/contract"

/** References of JSON Schema as references of OpenAPI. */
const located = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(located)
  if (typeof schema !== "object" || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      keyword === "$ref" && typeof value === "string" ? value.replace("#/$defs/", "#/components/schemas/") : located(value),
    ]),
  )
}

const schemas: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(jsonSchemas).map(([name, schema]) => [name, Object(located(schema))]),
)

const textOfPaths = stringifyExactJson(paths)

/** Whether an operation answers a code. The others answer requests that reach no operation: they are not for `components`, where lints ask for a use. */
const isAnswered = (code: string): boolean => textOfPaths.includes(JSON.stringify(errorReference(code).$ref))

const description = `The service keeps a catalogue of animals: it lists them, adds one, and fetches one by its identifier. Animals can be ordered.

Every request carries an API key as a bearer credential. Bodies are JSON in UTF-8. Every failure is an Error object: \`code\` is for programs, \`message\` for people, \`status\` repeats the HTTP status.

Identifiers are integers of 64 bits and appear as JSON numbers. Past 2^53 many JSON readers round them: read them with one that does not.`

/** The document, for the addresses that `servers` lists. */
export const openApiDocument = (servers: ReadonlyArray<ServerEntry>): OpenApiDocument => ({
  openapi: "3.1.0",
  info: {
    title: "Pet Store Inventory",
    version: "1.0.0",
    summary: "List, add and fetch animals.",
    description,
    contact: { name: "The pet store inventory team" },
    license: { name: "MIT", identifier: "MIT" },
  },
  servers,
  security: [{ apiKey: [] }],
  tags: [
    { name: "pets", description: "The catalogue of animals." },
    { name: "orders", description: "Orders of animals. Experimental: may change in a minor release." },
  ],
  paths,
  components: {
    schemas,
    parameters,
    headers,
    examples: Object.fromEntries(Object.entries(errorExamples).filter(([code]) => isAnswered(code))),
    securitySchemes: {
      apiKey: {
        type: "http",
        scheme: "bearer",
        description:
          "An API key: create an account and generate one. It begins with `pst_live_` in production and `pst_test_` in staging.",
      },
    },
  },
  "x-error-codes": Object.fromEntries(
    Object.entries(errorExamples).map(([code, example]) => [code, isAnswered(code) ? errorReference(code) : example]),
  ),
})

/** A document as text, its integers to the last digit. */
export const openApiText = (document: OpenApiDocument): string => `${stringifyExactJson(document, 2)}\n`
