/**
 * Every operation of the service, one row each. The table determines the routes, `Allow`, the names in logs, metrics and traces,
 * and the deprecation headers. `@petstore/core/contract` describes the API operations.
 */
import {
  basePath,
  type Description,
  deprecationOf,
  operations as described,
  descriptionOf,
  type OperationName,
  useCases,
} from "@petstore/core/contract"
import { patching, removing, replacing } from "./handlers/change.js"
import { waitingFor } from "./handlers/changes.js"
import { creating } from "./handlers/create.js"
import { health, readiness } from "./handlers/health.js"
import { listing, pageReader } from "./handlers/list.js"
import { acting, reading } from "./handlers/one.js"
import { asset, contract, docsPage, storePage, toDocs } from "./handlers/pages.js"
import type { ApiOperation, Operation, Served } from "./operation.js"
import { cached } from "./response/page-cache.js"

type MakeHandler = ApiOperation["handler"]

const servedAs = (description: Description): Served => ({ ...description, path: `${basePath}${description.path}` })

const byKind = {
  list: listing,
  create: creating,
  read: reading,
  action: acting,
  patch: patching,
  replace: replacing,
  remove: removing,
}

/** Operations that have another handler than the others of their kind. */
const special: Partial<Record<OperationName, MakeHandler>> = {
  listPets: (parts) => cached(pageReader(servedAs(described.listPets), useCases.listPets)(parts), parts),
  listChanges: (parts) => waitingFor(pageReader(servedAs(described.listChanges), useCases.listChanges)(parts), parts),
}

const handlerOf = (id: OperationName, description: Description): MakeHandler => {
  // Safe: the compiler checks row by row that a use case has its description's kind, but not for a row whose name is unknown.
  const make = byKind[description.kind] as unknown as (served: Served, useCase: unknown) => MakeHandler
  return special[id] ?? make(servedAs(description), useCases[id])
}

/** An API operation, with its path in the syntax of @koa/router. */
export const apiOperation = (id: OperationName, description: Description = descriptionOf(id)): ApiOperation => {
  const path = `${basePath}${description.path.replaceAll(/\{(\w+)\}/g, ":$1")}` as const
  const deprecation = deprecationOf(description)
  const { method, credential } = description
  return { id, method, path, credential, handler: handlerOf(id, description), ...(deprecation && { deprecation }) }
}

// Safe: the object's keys are exactly the names.
const names = Object.keys(described) as ReadonlyArray<OperationName>

const open = { credential: false, method: "GET" } as const

// biome-ignore format: a table
export const operations: ReadonlyArray<Operation> = [
  ...names.map((id) => apiOperation(id)),
  { ...open, id: "healthz", path: "/healthz", handler: health },
  { ...open, id: "readyz", path: "/readyz", handler: readiness },
  { ...open, id: "openapi", path: "/openapi.json", handler: contract },
  { ...open, id: "docs", path: "/", handler: toDocs },
  { ...open, id: "docs", path: "/docs", handler: docsPage() },
  { ...open, id: "docs", path: "/docs/following", handler: docsPage("following") },
  { ...open, id: "docs", path: "/docs/webhooks", handler: docsPage("webhooks") },
  { ...open, id: "docs", path: "/docs/agents", handler: docsPage("agents") },
  { ...open, id: "docs", path: "/docs/page.css", handler: asset("docs/page.css", "text/css") },
  { ...open, id: "docs", path: "/docs/page.js", handler: asset("docs/page.js", "text/javascript") },
  { ...open, id: "docs", path: "/docs/guide.js", handler: asset("docs/guide.js", "text/javascript") },
  { ...open, id: "docs", path: "/docs/theme.js", handler: asset("docs/theme.js", "text/javascript") },
  { ...open, id: "store", path: "/store", handler: storePage },
  { ...open, id: "store", path: "/store/page.css", handler: asset("store/page.css", "text/css") },
  { ...open, id: "store", path: "/store/page.js", handler: asset("store/page.js", "text/javascript") },
  { ...open, id: "store", path: "/store/theme.js", handler: asset("store/theme.js", "text/javascript") },
]
