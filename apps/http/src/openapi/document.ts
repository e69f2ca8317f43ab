/**
 * The contract: the OpenAPI 3.1 document, made from the schemas that validate,
 * the list of error codes and the constants that the service itself uses.
 */
import { type JsonSchema, jsonSchemas } from "@petstore/core/contract"
import { stringifyExactJson } from "@petstore/core/exact-json"
import type { OpenApiDocument, Operation, PathItem, ServerEntry } from "@petstore/docs/contract"
import { errorReference, isOwn } from "./answers.js"
import type { Deprecation, Described, Description } from "./described.js"
import { errorExamples } from "./error-guide.js"
import { deprecationHeaders, headers } from "./headers.js"
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

/** Every answer that the operation itself gives says that it is deprecated. */
const announced = (responses: Operation["responses"]): Operation["responses"] =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      isOwn(response) ? { ...response, headers: { ...response.headers, ...deprecationHeaders } } : response,
    ]),
  )

const deprecated = ({ sunset }: Deprecation): Pick<Operation, "deprecated" | "x-sunset"> => ({
  deprecated: true,
  "x-sunset": new Date(sunset).toISOString().slice(0, 10),
})

const operationOf = (
  { id, deprecation }: Described,
  { tags, summary, description, responses, ...rest }: Description,
): Operation => ({
  operationId: id,
  tags,
  summary,
  description,
  ...(deprecation && deprecated(deprecation)),
  ...rest,
  responses: deprecation === undefined ? responses : announced(responses),
})

/** The paths below the base address, their parameters as OpenAPI writes them. */
const pathsOf = (operations: ReadonlyArray<Described>): Readonly<Record<string, PathItem>> => {
  const paths: Record<string, PathItem> = {}
  for (const row of operations) {
    if (row.description === undefined) continue
    const path = row.path.replace(/^\/v1/, "").replace(/:(\w+)/g, "{$1}")
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operationOf(row, row.description) }
  }
  return paths
}

const description = `The service keeps a catalogue of animals: it lists them, adds one, and fetches one by its identifier. Animals can be ordered.

Every request carries an API key as a bearer credential. Bodies are JSON in UTF-8. Every failure is an Error object: \`code\` is for programs, \`message\` for people, \`status\` repeats the HTTP status.

Identifiers are integers of 64 bits and appear as JSON numbers. Past 2^53 many JSON readers round them: read them with one that does not.`

/**
 * Makes the document.
 *
 * @param operations  those that have a description are in it
 * @param servers     the addresses that it lists
 */
export const openApiDocument = (operations: ReadonlyArray<Described>, servers: ReadonlyArray<ServerEntry>): OpenApiDocument => {
  const paths = pathsOf(operations)
  const textOfPaths = stringifyExactJson(paths)
  /** Whether an operation answers a code. The others answer requests that reach no operation: they are not for `components`, where lints ask for a use. */
  const isAnswered = (code: string): boolean => textOfPaths.includes(JSON.stringify(errorReference(code).$ref))
  return {
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
      { name: "inventory", description: "How many animals there are. Experimental: may change in a minor release." },
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
  }
}

/** A document as text, its integers to the last digit. */
export const openApiText = (document: OpenApiDocument): string => `${stringifyExactJson(document, 2)}\n`
