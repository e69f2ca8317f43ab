/** One request to an operation, as the samples show it or, in a browser, as the form sends it. */

import { type OpenApiDocument, type Operation, operationsOf, type PlacedOperation, resolved } from "@petstore/core/contract"
import { stringifyExactJson } from "@petstore/core/exact-json"

type Values = ReadonlyArray<readonly [name: string, value: string]>

export interface Call {
  readonly operationId: string
  /** In upper case. */
  readonly method: string
  /** With parameter names in braces: `/pets/{petId}`. */
  readonly path: string
  readonly inPath: Values
  readonly query: Values
  readonly headers: Values
  /** JSON text. In a browser it may be invalid, because the reader is still typing. */
  readonly body: string | undefined
  /** The calls that this call depends on, unless an earlier sample makes them. */
  readonly before?: ReadonlyArray<Call>
}

/** Returns the path and query of a call, as in a URL. */
export const targetOf = ({ path, inPath, query }: Pick<Call, "path" | "inPath" | "query">): string => {
  const filled = inPath.reduce((text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)), path)
  const search = new URLSearchParams(query.map(([name, value]) => [name, value])).toString()
  return search === "" ? filled : `${filled}?${search}`
}

/** Builds an operation's example call from the contract. It needs no headers. */
export const exampleCall = (placed: PlacedOperation): Call => {
  const { path, method, operation, parameters } = placed
  const given = exampleAnswer(placed)?.value
  const valuesIn = (place: string) =>
    parameters
      .filter((each) => each.in === place && each.example !== undefined)
      // The path contains the identifier from the example response.
      .map(({ name, example }) => [name, String(place === "path" ? (idIn(placed, given) ?? example) : example)] as const)
  return {
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path,
    inPath: valuesIn("path"),
    query: valuesIn("query"),
    headers: [],
    body: exampleBody(operation),
    ...beforeIt(placed, given),
  }
}

/** Builds the example call of the operation with this id. Throws if the contract does not define the operation. */
export const exampleCallOf = (document: OpenApiDocument, id: string): Call => {
  const placed = operationsOf(document).find(({ operation }) => operation.operationId === id)
  if (placed === undefined) throw new Error(`the contract does not define ${id}`)
  return exampleCall(placed)
}

/** The pet that the sample of `removePet` adds for itself, on a new catalogue: later samples still need the first one. */
const petToRemove = 2n

const idIn = ({ operation }: PlacedOperation, given: unknown): unknown =>
  operation.operationId === "removePet" ? petToRemove : Object(given).id

/** The calls that add what only this sample may close or remove. */
const beforeIt = ({ document, operation: { operationId } }: PlacedOperation, given: unknown): Pick<Call, "before"> => {
  if (operationId === "removePet") return { before: [exampleCallOf(document, "createPet")] }
  if (operationId !== "cancelOrder") return {}
  const order = { ...exampleCallOf(document, "createOrder"), body: stringifyExactJson({ petId: Object(given).petId }, 2) }
  return { before: [exampleCallOf(document, "createPet"), order] }
}

/** Returns the first example of an operation's successful response, with its status. */
export const exampleAnswer = ({ document, responses }: PlacedOperation) => {
  const [status, response] = Object.entries(responses).find(([status]) => status < "300") ?? []
  const [example] = Object.values(response?.content?.["application/json"].examples ?? {})
  return status === undefined || example === undefined
    ? undefined
    : { status, value: resolved(example, document.components.examples).value }
}

/** Returns the first example of an operation's request body, formatted. */
export const exampleBody = ({ requestBody }: Operation): string | undefined => {
  const [example] = Object.values(requestBody?.content["application/json"].examples ?? {})
  return example === undefined || "$ref" in example ? undefined : stringifyExactJson(example.value, 2)
}
