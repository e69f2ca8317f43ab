/** The type of our contract: the parts of OpenAPI 3.1 that it uses. Also finds its operations and resolves its references. */
import type { JsonSchema } from "./json-schemas.js"
import type { Description } from "./operations.js"
import type { Parameter } from "./parameters.js"

/** A reference to a component of the document. @experimental */
export type Reference = {
  readonly $ref: string
}

/** An address of the API, which ends in `/v1`. */
export interface ServerEntry {
  readonly url: string
  readonly description: string
  readonly variables?: Readonly<Record<string, { readonly default: string }>>
}

/** A response header. @experimental */
export interface Header {
  /** The header's name, if it can be on every response, even where the response's own `headers` do not have it. */
  readonly "x-on-every-response"?: string
  readonly description: string
  readonly required?: true
  readonly schema: JsonSchema
  readonly example: string
}

/** A value shown as an example. A `bigint` is written with all its digits. */
export interface Example {
  readonly summary: string
  readonly description?: string
  readonly value: unknown
}

/** The schema of a body, and examples of it. @experimental */
export interface MediaType {
  readonly schema: Reference
  readonly examples: Readonly<Record<string, Example | Reference>>
}

/** A body, by media type. @experimental */
export interface Content {
  readonly "application/json": MediaType
  readonly "application/merge-patch+json"?: MediaType
}

/** A response of an operation. @experimental */
export interface DescribedResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, Reference>>
  readonly content?: Content
}

/** An operation of the document. @experimental */
export interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description: string
  readonly deprecated?: true
  /** The day on which a deprecated operation will be removed, `YYYY-MM-DD`. */
  readonly "x-sunset"?: string
  readonly "x-stability": Description["stability"]
  readonly parameters: ReadonlyArray<Parameter | Reference>
  readonly requestBody?: { readonly description: string; readonly required: true; readonly content: Content }
  readonly responses: Readonly<Record<string, DescribedResponse | Reference>>
}

/** The method of an operation, as OpenAPI writes it. @experimental */
export type Method = Lowercase<Description["method"]>
/** The operations of a path. @experimental */
export type PathItem = Readonly<Partial<Record<Method, Operation>>>

/** The OpenAPI document of the service. @experimental */
export interface OpenApiDocument {
  readonly openapi: "3.1.0"
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
    readonly contact: { readonly name: string }
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: ReadonlyArray<ServerEntry>
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, PathItem>>
  /** The requests that the service sends. */
  readonly webhooks: Readonly<Record<string, object>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, DescribedResponse>>
    readonly headers: Readonly<Record<string, Header>>
    readonly examples: Readonly<Record<string, Example>>
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
  /** Examples of the error codes that belong to no operation. */
  readonly "x-other-errors": Readonly<Record<string, Example>>
}

/** An operation, its place in a document, and its parameters and responses without references. */
export interface PlacedOperation {
  readonly document: OpenApiDocument
  readonly path: string
  readonly method: Method
  readonly operation: Operation
  readonly parameters: ReadonlyArray<Parameter>
  readonly responses: Readonly<Record<string, DescribedResponse>>
}

const methods = ["get", "post", "put", "patch", "delete"] as const

/** Finds the operations of a document. @experimental */
export const operationsOf = (document: OpenApiDocument): ReadonlyArray<PlacedOperation> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      if (operation === undefined) return []
      const parameters = operation.parameters.map((parameter) => resolved(parameter, document.components.parameters))
      const responses = Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [
          status,
          resolved(response, document.components.responses),
        ]),
      )
      return [{ document, path, method, operation, parameters, responses }]
    }),
  )

/** Returns the name of the component to which a reference points. @experimental */
export const nameOf = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf("/") + 1)

/** Returns the component that a reference names, or the value itself if it is not a reference. Throws for a broken reference. */
export const resolved = <A extends object>(value: A | Reference, components: Readonly<Record<string, A>>): A => {
  if (!isReference(value)) return value
  const component = components[nameOf(value)]
  if (component === undefined) throw new Error(`the contract has nothing at ${value.$ref}`)
  return component
}

const isReference = (value: object): value is Reference => "$ref" in value
