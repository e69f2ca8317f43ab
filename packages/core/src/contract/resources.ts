/** The resources: their paths, schemas, and the shared parts of their operations (specification, section 4). */

/** The last path segment of every base address. */
export const basePath = "/v1"

/** The stability of an operation: an experimental one may change in a minor release. */
export type Stability = "stable" | "experimental"

/** The pets of the catalogue. */
export const pets = {
  tag: "pets",
  stability: "stable",
  path: "/pets",
  /** The parameter of the path that names one of them. */
  id: "petId",
  /** The error code for one that does not exist. */
  notFound: "pet_not_found",
  /** The filters of a list. */
  filters: ["limit", "status", "id", "inCategory", "name", "order", "cursor"],
  /** The schemas of one, of a new one, of a change, and of a page. */
  one: "Pet",
  given: "NewPet",
  patched: "PetCorrection",
  many: "Pets",
} as const

/** The orders of pets. */
export const orders = {
  tag: "orders",
  stability: "experimental",
  path: "/store/orders",
  id: "orderId",
  notFound: "order_not_found",
  filters: ["limit", "orderStatus", "orderedPetId", "orderCursor"],
  one: "Order",
  given: "NewOrder",
  many: "Orders",
} as const

/** The names of categories. Callers choose the identifiers. */
export const categories = {
  tag: "categories",
  stability: "experimental",
  path: "/categories",
  id: "categoryId",
  notFound: "category_not_found",
  filters: ["limit", "categoryCursor"],
  one: "Category",
  given: "NewCategory",
  many: "Categories",
} as const

/** How many pets there are: one resource without an identifier. */
export const inventory = { tag: "inventory", stability: "experimental", path: "/store/inventory", one: "Inventory" } as const
