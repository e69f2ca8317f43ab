/** Turns the table of operations into routes for @koa/router. */
import { createRequire } from "node:module"
import type Router from "@koa/router"
import { headerLines, inOnePiece } from "@petstore/bounded-http"
import type { FindResource, Resource, Route } from "./exchange.js"
import type { Operation, Parts } from "./operation.js"
import { decoded } from "./request/target.js"

// The ES module of @koa/router imports node:http, which also loads the client behind fetch.
const { default: KoaRouter }: typeof import("@koa/router") = createRequire(import.meta.url)("@koa/router")

type Layer = Router["stack"][number]

const isUnderApi = (path: string): boolean => path === "/v1" || path.startsWith("/v1/")

const nothing = { routes: new Map(), allow: "OPTIONS", parameterIn: () => "" }
const noResourceInApi: Resource = { ...nothing, credential: true }
const noResource: Resource = { ...nothing, credential: false }

/** Headers of every response of a deprecated operation, failures included (specification 4.3.9). */
const deprecationHeaders = ({ deprecation }: Operation, pathPrefix: string): string =>
  deprecation === undefined
    ? ""
    : inOnePiece(
        headerLines([
          ...["Deprecation", deprecation.deprecation],
          ...["Sunset", deprecation.sunset],
          ...["Link", `<${pathPrefix}${deprecation.successor}>; rel="successor-version"`],
        ]),
      )

/** The operations at a path, by method. HEAD is GET without a body. */
const routesOf = (operations: ReadonlyArray<Operation>, parts: Parts): ReadonlyMap<string, Route> =>
  new Map(
    operations.flatMap((operation) => {
      const { id, method, deprecation } = operation
      const isDeprecated = deprecation !== undefined
      const route = {
        id,
        isDeprecated,
        headers: deprecationHeaders(operation, parts.pathPrefix),
        handler: operation.handler(parts),
      }
      return (method === "GET" ? [method, "HEAD"] : [method]).map((each) => [each, route] as const)
    }),
  )

/** Paths are case-sensitive, and a path with a trailing slash is a different path (specification 10.6, 10.7). */
export const routerOf = (operations: ReadonlyArray<Operation>): Router => {
  const router = new KoaRouter({ strict: true, sensitive: true })
  // The callbacks are empty: the router only matches paths, and the step `handle` calls the operation.
  for (const { method, path } of operations) router.register(path, [method], () => {})
  return router
}

/** The part of a path that the client chose. An undecodable part stays unchanged and names no resource (specification 4.3.5). */
const parameterOf = (path: string, layer: Layer | undefined): string | undefined => {
  const text = layer?.captures(path)[0]
  return text?.includes("%") === true ? (decoded(text) ?? text) : text
}

/** Removes the path that a proxy put in front, if it did not remove that itself. */
const withoutPrefix = (path: string, prefix: string): string =>
  prefix !== "" && (path === prefix || path.startsWith(`${prefix}/`)) ? path.slice(prefix.length) || "/" : path

/** Builds the resources, and finds them with the router's patterns. Clients' paths are not cached: they could fill the memory. */
export const findResourceIn = (operations: ReadonlyArray<Operation>, parts: Parts): FindResource => {
  const { pathPrefix } = parts
  const router = routerOf(operations)
  const resources = new Map<string, Resource>()
  /** The resources at paths with a part that the client chooses. The others are found by their path. */
  const chosen: Array<{ readonly layer: Layer; readonly resource: Resource }> = []
  for (const [path, rows] of Map.groupBy(operations, (row) => row.path)) {
    const layer = router.stack.find((each) => each.path === path)
    const routes = routesOf(rows, parts)
    const resource: Resource = {
      credential: rows.some(({ credential }) => credential),
      routes,
      // Every served path has OPTIONS.
      allow: [...routes.keys(), "OPTIONS"].sort().join(", "),
      parameterIn: (requested) => parameterOf(requested, layer) ?? parameterOf(withoutPrefix(requested, pathPrefix), layer) ?? "",
    }
    resources.set(path, resource)
    if (layer !== undefined && layer.paramNames.length > 0) chosen.push({ layer, resource })
  }
  const find = (path: string): Resource | undefined =>
    resources.get(path) ?? chosen.find(({ layer }) => layer.match(path))?.resource
  return (path) => {
    const found = find(path)
    if (found !== undefined) return found
    const inside = withoutPrefix(path, pathPrefix)
    return (inside !== path ? find(inside) : undefined) ?? (isUnderApi(inside) ? noResourceInApi : noResource)
  }
}
