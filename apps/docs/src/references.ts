import type { Parameter } from "@petstore/core/contract"
import type { Example, OpenApiDocument, PlacedOperation, Reference } from "./contract.ts"

const methods = ["get", "post", "put", "patch", "delete"] as const

export const operationsOf = (document: OpenApiDocument): ReadonlyArray<PlacedOperation> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ document, path, method, operation }]
    }),
  )

const nameOf = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf("/") + 1)

const found = <A>(component: A | undefined, reference: Reference): A => {
  if (component === undefined) throw new Error(`the contract has nothing at ${reference.$ref}`)
  return component
}

/** Functions that look up a document's references. They throw for a broken reference. */
export const referencesOf = ({ components }: OpenApiDocument) => ({
  nameOf,
  parameter: (value: Parameter | Reference): Parameter =>
    "$ref" in value ? found(components.parameters[nameOf(value)], value) : value,
  example: (value: Example | Reference): Example => ("$ref" in value ? found(components.examples[nameOf(value)], value) : value),
})
