/** Turns the table of operations into routes for @koa/router. */
import { createRequire } from "node:module"
import type Router from "@koa/router"
import type { FindResource, HeaderList, Resource, Route } from "./exchange.js"
import type { Operation, Parts } from "./operation.js"

// The ES module of @koa/router imports node:http: see node-http.ts.
const { default: KoaRouter }: typeof import("@koa/router") = createRequire(import.meta.url)("@koa/router")

type Layer = Router["stack"][number]

/** Whether a path is the base address or below it. */
const isUnderApi = (path: string): boolean => path === "/v1" || path.startsWith("/v1/")

const nothing = { routes: new Map(), allow: "OPTIONS", parameterIn: () => "" }
const noResourceInApi: Resource = { ...nothing, credential: true }
const noResource: Resource = { ...nothing, credential: false }

/** Headers of every response of a deprecated operation, failures included (specification 4.3.9). */
const deprecationHeaders = ({ deprecation }: Operation): HeaderList =>
  deprecation === undefined
    ? []
    : [
        "Deprecation",
        deprecation.deprecation,
        "Sunset",
        deprecation.sunset,
        "Link",
        `<${deprecation.successor}>; rel="successor-version"`,
      ]

const routeOf = (operation: Operation, parts: Parts): Route => ({
  id: operation.id,
  isDeprecated: operation.deprecation !== undefined,
  headers: deprecationHeaders(operation),
  handler: operation.handler(parts),
})

/** On every served path, HEAD is GET without a body, and OPTIONS returns `Allow`. */
const allowOf = (routes: ReadonlyMap<string, Route>): string => [...routes.keys(), "OPTIONS"].sort().join(", ")

/** Paths are case-sensitive, and a path with a trailing slash is a different path (specification 10.6, 10.7). */
export const routerOf = (operations: ReadonlyArray<Operation>): Router => {
  const router = new KoaRouter({ strict: true, sensitive: true })
  // The callbacks are empty: the router only matches paths, and the step `handle` calls the operation.
  for (const { method, path } of operations) router.register(path, [method], () => {})
  return router
}

/** Percent-decodes a part of a path. If that fails, the part stays unchanged and names no resource (specification 4.3.5). */
const decoded = (text: string): string => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Builds the resources, and finds them with the router. Only fixed paths are cached, so that clients cannot fill the memory. */
export const findResourceIn = (operations: ReadonlyArray<Operation>, parts: Parts): FindResource => {
  const router = routerOf(operations)
  const resourceOf = (layers: ReadonlyArray<Layer>): Resource => {
    const routes = new Map<string, Route>()
    let credential = false
    for (const layer of layers) {
      const operation = operations[router.stack.indexOf(layer)]
      if (operation === undefined) continue
      const route = routeOf(operation, parts)
      credential ||= operation.credential
      for (const method of layer.methods) if (!routes.has(method)) routes.set(method, route)
    }
    return { credential, routes, allow: allowOf(routes), parameterIn: (path) => decoded(layers[0]?.captures(path)[0] ?? "") }
  }
  const resources = new Map<Layer | undefined, Resource>()
  for (const layers of Map.groupBy(router.stack, ({ path }) => path).values()) resources.set(layers[0], resourceOf(layers))
  const match = (path: string): Resource | undefined => resources.get(router.match(path, "").path[0])

  const fixed = new Map<string, Resource>()
  for (const { path, paramNames } of router.stack) {
    const resource = paramNames.length === 0 ? match(String(path)) : undefined
    if (resource !== undefined) fixed.set(String(path), resource)
  }
  return (path) => fixed.get(path) ?? match(path) ?? (isUnderApi(path) ? noResourceInApi : noResource)
}
