/** The operations of the API: their names, methods and paths (specification, section 4). */

/** The path segment in which every base address ends. */
export const basePath = "/v1"

/** Every operation by its name. A path is relative to the base address; `{name}` stands for a parameter. */
export const operations = {
  listPets: { method: "GET", path: "/pets" },
  createPet: { method: "POST", path: "/pets" },
  getPet: { method: "GET", path: "/pets/{petId}" },
  listOrders: { method: "GET", path: "/store/orders" },
  createOrder: { method: "POST", path: "/store/orders" },
  getOrder: { method: "GET", path: "/store/orders/{orderId}" },
  completeOrder: { method: "POST", path: "/store/orders/{orderId}/complete" },
  cancelOrder: { method: "POST", path: "/store/orders/{orderId}/cancel" },
  getInventory: { method: "GET", path: "/store/inventory" },
} as const satisfies Readonly<Record<string, { readonly method: "GET" | "POST"; readonly path: `/${string}` }>>

/** Name of an operation. */
export type OperationName = keyof typeof operations

/**
 * The path of an operation whose parameter has this value, relative to the base address.
 *
 * @example pathOf("getPet", 7n) // "/pets/7"
 */
export const pathOf = (operation: OperationName, parameter: bigint): string =>
  operations[operation].path.replace(/\{\w+\}/, String(parameter))
