/** The resources: their paths and schemas, and the parts that their operations share (specification, section 4). */

/** The last path segment of every base address. */
export const basePath = "/v1"

/** An operation's stability. An experimental operation may change in a minor release. */
export type Stability = "stable" | "experimental"

export const pets = {
  tag: "pets",
  stability: "stable",
  path: "/pets",
  id: "petId",
  notFound: "pet_not_found",
  /** The query parameters of the list. */
  filters: ["limit", "status", "id", "inCategory", "name", "withoutStatus", "direction", "cursor"],
  /** The schemas for one pet, for a new one, and for a page. */
  one: "Pet",
  given: "NewPet",
  many: "Pets",
} as const

export const orders = {
  tag: "orders",
  stability: "experimental",
  path: "/store/orders",
  id: "orderId",
  notFound: "order_not_found",
  filters: ["limit", "stateOfOrder", "orderedPetId", "direction", "cursor"],
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
