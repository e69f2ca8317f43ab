/** The contract: the OpenAPI 3.1 document, built from the schemas, error codes and constants of the service itself. */

import type {
  Content,
  Example,
  MediaType,
  OpenApiDocument,
  Operation,
  PathItem,
  Reference,
  ServerEntry,
} from "@petstore/core/contract"
import {
  type Description,
  type JsonSchema,
  jsonSchemas,
  type OperationName,
  type Parameter,
  parameters,
  type Words,
  words,
} from "@petstore/core/contract"
import { parseExactJson, stringifyExactJson } from "@petstore/core/exact-json"
import { errorExamples } from "./error-examples.js"
import { headers } from "./headers.js"
import { describedResponses, errorReference, json, listed, sharedResponses } from "./responses.js"
import { webhooks } from "./webhooks.js"

export type Descriptions = Readonly<Partial<Record<OperationName, Description>>>

/** Converts JSON Schema references to OpenAPI references. */
const located = (named: object) =>
  Object(parseExactJson(stringifyExactJson(named).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/')))

const schemas: Readonly<Record<string, JsonSchema>> = located(jsonSchemas)
const parameterComponents: Readonly<Record<string, Parameter>> = located(parameters)

const parameter = (name: keyof typeof parameters): Reference => ({ $ref: `#/components/parameters/${name}` })

/** A patch has its own media type (RFC 7396), and also accepts `application/json`. */
const contentOf = (kind: Description["kind"], takes: string, bodies: MediaType["examples"]): Content => {
  const content = json(takes, bodies)
  return kind === "patch" ? { ...content, "application/merge-patch+json": content["application/json"] } : content
}

const operationOf = (operationId: string, description: Description, said: Words): Operation => {
  const { tag, deprecation, stability, takes } = description
  return {
    operationId,
    tags: [tag],
    summary: said.summary,
    description: said.description,
    ...(deprecation && { deprecated: true, "x-sunset": new Date(deprecation.sunset).toISOString().slice(0, 10) }),
    "x-stability": stability,
    parameters: [...description.parameters, "requestId" as const].map(parameter),
    ...(takes !== undefined && {
      requestBody: {
        description: said.body ?? "",
        required: true,
        content: contentOf(description.kind, takes, said.bodies ?? {}),
      },
    }),
    responses: listed(describedResponses(description, said)),
  }
}

interface Named {
  readonly name: string
  readonly description: Description
  readonly said: Words
}

const pathsOf = (operations: ReadonlyArray<Named>): Readonly<Record<string, PathItem>> => {
  const paths: Record<string, PathItem> = {}
  for (const { name, description, said } of operations) {
    const { path, method } = description
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(name, description, said) }
  }
  return paths
}

const description = `The service keeps a catalogue of animals: it lists them, adds one, and fetches one by its identifier. Animals can be ordered.

Every request carries an API key as a bearer credential. Bodies are JSON in UTF-8. Every failure is an Error object: \`code\` is for programs, \`message\` for people, \`status\` repeats the HTTP status.

Identifiers are integers of 64 bits and appear as JSON numbers. Past 2^53 many JSON readers round them: read them with one that does not.`

const examplesOf = (isWanted: (code: string) => boolean): Readonly<Record<string, Example>> =>
  Object.fromEntries(Object.entries(errorExamples).filter(([code]) => isWanted(code)))

export const openApiDocument = (descriptions: Descriptions, servers: ReadonlyArray<ServerEntry>): OpenApiDocument => {
  const operations = Object.entries(descriptions).map(
    // Safe: the keys are the names of operations.
    ([name, description]): Named => ({ name, description, said: words[name as OperationName] }),
  )
  const paths = pathsOf(operations)
  const responses = sharedResponses(operations.flatMap(({ description, said }) => describedResponses(description, said)))
  const text = stringifyExactJson({ paths, responses })
  /** Whether an operation responds with a code. Linters reject unused `components`: some codes belong to no operation. */
  const isAnswered = (code: string): boolean => text.includes(JSON.stringify(errorReference(code).$ref))
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
      { name: "categories", description: "Names of categories. Experimental: may change in a minor release." },
      { name: "me", description: "The caller. Experimental: may change in a minor release." },
      { name: "changes", description: "What happened, and who did it. Experimental: may change in a minor release." },
      { name: "inventory", description: "How many animals there are. Experimental: may change in a minor release." },
    ],
    paths,
    webhooks,
    components: {
      schemas,
      parameters: parameterComponents,
      responses,
      headers,
      examples: examplesOf(isAnswered),
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "An API key: create an account and generate one. It begins with `pst_live_` in production and `pst_test_` in staging.",
        },
      },
    },
    "x-other-errors": examplesOf((code) => !isAnswered(code)),
  }
}

/** A document as text, with exact integers. */
export const openApiText = (document: OpenApiDocument): string => `${stringifyExactJson(document, 2)}\n`
