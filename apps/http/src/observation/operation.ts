/** The names of operations, as logs, metrics and traces show them: a handful, whatever callers ask for. */

const health = new Map([
  ["/healthz", "healthz"],
  ["/readyz", "readyz"],
  ["/openapi.json", "openapi"],
  ["/docs", "docs"],
  ["/", "docs"],
])

/** Operations by their path, in the words of the specification, section 4. HEAD is GET without a body. */
const operations: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    "/v1/pets",
    new Map([
      ["GET", "listPets"],
      ["HEAD", "listPets"],
      ["POST", "createPet"],
    ]),
  ],
  [
    "/v1/store/orders",
    new Map([
      ["GET", "listOrders"],
      ["HEAD", "listOrders"],
    ]),
  ],
])

/** A single pet, whatever its identifier. */
const onePet = /^\/v1\/pets\/[^/]+$/

/** The name of everything else: a path or a method that nobody serves. */
const otherOperation = "other"

/** Whether the operation is deprecated (specification, section 4.3). */
export const isDeprecated = (operation: string): boolean => operation === "getPet"

/**
 * The operation that a request asks for, whether it was allowed to or not.
 *
 * @param path  without the query
 */
export const operationOf = (method: string, path: string): string => {
  const isRead = method === "GET" || method === "HEAD"
  return (
    operations.get(path)?.get(method) ??
    (isRead ? (health.get(path) ?? (onePet.test(path) ? "getPet" : undefined)) : undefined) ??
    otherOperation
  )
}
