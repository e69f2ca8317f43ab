/** The operations of the API by path, relative to a server of the document. */

import type { PathItem } from "@petstore/docs/contract"
import { cancelOrder, completeOrder, createOrder, getOrder, listOrders } from "./order-operations.js"
import { createPet, getPet, listPets } from "./pet-operations.js"

export const paths: Readonly<Record<string, PathItem>> = {
  "/pets": { get: listPets, post: createPet },
  "/pets/{petId}": { get: getPet },
  "/store/orders": { get: listOrders, post: createOrder },
  "/store/orders/{orderId}": { get: getOrder },
  "/store/orders/{orderId}/complete": { post: completeOrder },
  "/store/orders/{orderId}/cancel": { post: cancelOrder },
}
