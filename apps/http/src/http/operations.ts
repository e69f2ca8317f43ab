/**
 * Every operation of the service, one row each. The routes, `Allow`, the names in logs,
 * metrics and traces, the paths of the contract and the deprecation headers come from here. Names, methods and paths of
 * the API are those of `@petstore/core/contract`, which the client shares.
 */
import { basePath, getPetDeprecation, operations as named, type OperationName } from "@petstore/core/contract"
import * as describeInventory from "../openapi/inventory-operations.js"
import * as describeOrder from "../openapi/order-operations.js"
import * as describePet from "../openapi/pet-operations.js"
import { asset } from "./handlers/asset.js"
import { contract } from "./handlers/contract.js"
import { docsPage, toDocs } from "./handlers/docs.js"
import { health, readiness } from "./handlers/health.js"
import { getInventory } from "./handlers/inventory.js"
import { closeOrder, createOrder, getOrder, listOrders } from "./handlers/orders.js"
import { createPet, getPet, listPets } from "./handlers/pets.js"
import { storePage } from "./handlers/store.js"
import type { Operation } from "./operation.js"
import { cached } from "./response/page-cache.js"

/** An operation of the API as core names it, with its path as @koa/router takes it. */
const api = <Name extends OperationName>(id: Name) =>
  ({
    credential: true,
    id,
    method: named[id].method,
    path: `${basePath}${named[id].path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
  }) as const
const open = { credential: false, method: "GET" } as const

// biome-ignore format: a table
export const operations: ReadonlyArray<Operation> = [
  { ...api("listPets"), description: describePet.listPets, handler: (parts) => cached(listPets(parts), parts) },
  { ...api("createPet"), description: describePet.createPet, handler: createPet },
  { ...api("getPet"), description: describePet.getPet, handler: getPet, deprecation: getPetDeprecation },
  { ...api("listOrders"), description: describeOrder.listOrders, handler: listOrders },
  { ...api("createOrder"), description: describeOrder.createOrder, handler: createOrder },
  { ...api("getOrder"), description: describeOrder.getOrder, handler: getOrder },
  { ...api("completeOrder"), description: describeOrder.completeOrder, handler: closeOrder("complete") },
  { ...api("cancelOrder"), description: describeOrder.cancelOrder, handler: closeOrder("cancel") },
  { ...api("getInventory"), description: describeInventory.getInventory, handler: getInventory },
  { ...open, id: "healthz", path: "/healthz", handler: health },
  { ...open, id: "readyz", path: "/readyz", handler: readiness },
  { ...open, id: "openapi", path: "/openapi.json", handler: contract },
  { ...open, id: "docs", path: "/", handler: toDocs },
  { ...open, id: "docs", path: "/docs", handler: docsPage },
  { ...open, id: "docs", path: "/docs/page.css", handler: asset("docs/page.css", "text/css") },
  { ...open, id: "docs", path: "/docs/page.js", handler: asset("docs/page.js", "text/javascript") },
  { ...open, id: "docs", path: "/docs/theme.js", handler: asset("docs/theme.js", "text/javascript") },
  { ...open, id: "store", path: "/store", handler: storePage },
  { ...open, id: "store", path: "/store/page.css", handler: asset("store/page.css", "text/css") },
  { ...open, id: "store", path: "/store/page.js", handler: asset("store/page.js", "text/javascript") },
  { ...open, id: "store", path: "/store/theme.js", handler: asset("store/theme.js", "text/javascript") },
]
