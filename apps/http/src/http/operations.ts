/**
 * Every operation of the service, one row each. The routes, `Allow`, the names in logs,
 * metrics and traces, the paths of the contract and the deprecation headers come from here and from nowhere else.
 */
import { getPetDeprecation } from "@petstore/core"
import * as describeInventory from "../openapi/inventory-operations.js"
import * as describeOrder from "../openapi/order-operations.js"
import * as describePet from "../openapi/pet-operations.js"
import { contract } from "./handlers/contract.js"
import { docsAsset, docsPage, toDocs } from "./handlers/docs.js"
import { health, readiness } from "./handlers/health.js"
import { getInventory } from "./handlers/inventory.js"
import { closeOrder, createOrder, getOrder, listOrders } from "./handlers/orders.js"
import { createPet, getPet, listPets } from "./handlers/pets.js"
import { storeAsset, storePage } from "./handlers/store.js"
import type { Operation } from "./operation.js"
import { cached } from "./response/ready-pages.js"

const [pets, pet] = ["/v1/pets", "/v1/pets/:petId"] as const
const [orders, order] = ["/v1/store/orders", "/v1/store/orders/:orderId"] as const
const key = { credential: true } as const
const open = { credential: false, method: "GET" } as const

// biome-ignore format: a table
export const operations: ReadonlyArray<Operation> = [
  { ...key, id: "listPets", method: "GET", path: pets, description: describePet.listPets, handler: (parts) => cached(listPets(parts), parts) },
  { ...key, id: "createPet", method: "POST", path: pets, description: describePet.createPet, handler: createPet },
  { ...key, id: "getPet", method: "GET", path: pet, description: describePet.getPet, handler: getPet, deprecation: getPetDeprecation },
  { ...key, id: "listOrders", method: "GET", path: orders, description: describeOrder.listOrders, handler: listOrders },
  { ...key, id: "createOrder", method: "POST", path: orders, description: describeOrder.createOrder, handler: createOrder },
  { ...key, id: "getOrder", method: "GET", path: order, description: describeOrder.getOrder, handler: getOrder },
  { ...key, id: "completeOrder", method: "POST", path: `${order}/complete`, description: describeOrder.completeOrder, handler: closeOrder("complete") },
  { ...key, id: "cancelOrder", method: "POST", path: `${order}/cancel`, description: describeOrder.cancelOrder, handler: closeOrder("cancel") },
  { ...key, id: "getInventory", method: "GET", path: "/v1/store/inventory", description: describeInventory.getInventory, handler: getInventory },
  { ...open, id: "healthz", path: "/healthz", handler: health },
  { ...open, id: "readyz", path: "/readyz", handler: readiness },
  { ...open, id: "openapi", path: "/openapi.json", handler: contract },
  { ...open, id: "docs", path: "/", handler: toDocs },
  { ...open, id: "docs", path: "/docs", handler: docsPage },
  { ...open, id: "docs", path: "/docs/page.css", handler: docsAsset("page.css", "text/css") },
  { ...open, id: "docs", path: "/docs/page.js", handler: docsAsset("page.js", "text/javascript") },
  { ...open, id: "docs", path: "/docs/theme.js", handler: docsAsset("theme.js", "text/javascript") },
  { ...open, id: "store", path: "/store", handler: storePage },
  { ...open, id: "store", path: "/store/page.css", handler: storeAsset("page.css", "text/css") },
  { ...open, id: "store", path: "/store/page.js", handler: storeAsset("page.js", "text/javascript") },
  { ...open, id: "store", path: "/store/theme.js", handler: storeAsset("theme.js", "text/javascript") },
]
