/** The names of operations, as logs, metrics and traces show them: a handful, whatever callers ask for. */

/** Operations by method and path, in the words of the specification, section 4. */
const operations: ReadonlyMap<string, string> = new Map([
  ["GET /v1/pets", "listPets"],
  ["POST /v1/pets", "createPet"],
  ["GET /v1/pets/{}", "getPet"],
  ["GET /v1/store/orders", "listOrders"],
  ["POST /v1/store/orders", "createOrder"],
  ["GET /v1/store/orders/{}", "getOrder"],
  ["POST /v1/store/orders/{}/complete", "completeOrder"],
  ["POST /v1/store/orders/{}/cancel", "cancelOrder"],
  ["GET /healthz", "healthz"],
  ["GET /readyz", "readyz"],
  ["GET /openapi.json", "openapi"],
  ["GET /docs", "docs"],
  ["GET /", "docs"],
])

/** The identifier in a path, which is not part of the name. */
const identifier = /^(\/v1\/(?:pets|store\/orders)\/)[^/]+/

/** The name of everything else: a path or a method that nobody serves. */
const otherOperation = "other"

/** Whether the operation is deprecated (specification, section 4.3). */
export const isDeprecated = (operation: string): boolean => operation === "getPet"

/**
 * The operation that a request asks for, whether it was allowed to or not.
 *
 * @param path  without the query
 * @example     operationOf("HEAD", "/v1/pets/7") // "getPet"
 */
export const operationOf = (method: string, path: string): string =>
  // HEAD is GET without a body.
  operations.get(`${method === "HEAD" ? "GET" : method} ${path.replace(identifier, "$1{}")}`) ?? otherOperation
