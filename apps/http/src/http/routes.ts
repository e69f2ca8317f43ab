/** From the table of operations to what is served at a path. @koa/router decides which path is which; a look-up made of its routes answers. */
import { createRequire } from "node:module"
import type Router from "@koa/router"
import type { FindResource, HeaderList, Resource, Route } from "./exchange.js"
import type { Operation, Parts } from "./operation.js"

// Its ES module imports node:http: see node-http.ts.
const { default: KoaRouter }: typeof import("@koa/router") = createRequire(import.meta.url)("@koa/router")

type Layer = Router["stack"][number]

/** A resource whose path has a parameter: one part that the caller chooses. */
interface WithParameter {
  readonly before: string
  readonly behind: string
  readonly resource: Resource
}

/** One part that the caller chooses: a regular expression would cost 1 µs of each request. */
const parameterForm = /^([^:]*):\w+([^:]*)$/

/** The base address, and everything below it. */
const isUnderApi = (path: string): boolean => path === "/v1" || path.startsWith("/v1/")

const nothing = { routes: new Map(), allow: "OPTIONS", parameter: "" }
const noResourceInApi: Resource = { ...nothing, credential: true }
const noResource: Resource = { ...nothing, credential: false }

/** On every answer of a deprecated operation, failures included (specification 4.3.9). */
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

/** HEAD is GET without a body, and OPTIONS asks for `Allow`, on every path that is served. */
const allowOf = (routes: ReadonlyMap<string, Route>): string => [...routes.keys(), "OPTIONS"].sort().join(", ")

/** Paths are compared with case, and a slash at the end is another path (specification 10.6, 10.7). */
export const routerOf = (operations: ReadonlyArray<Operation>): Router => {
  const router = new KoaRouter({ strict: true, sensitive: true })
  // Nothing runs inside the router: the pipeline calls the handler when it is its turn.
  for (const { method, path } of operations) router.register(path, [method], () => {})
  return router
}

/** A part of a path, percent-decoded; as it is if that is impossible: it then names nothing (specification 4.3.5). */
const decoded = (text: string): string => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The part of a path that the caller chose, if the path is one of this resource. */
const parameterIn = (path: string, { before, behind }: WithParameter): string | undefined => {
  if (!path.startsWith(before) || !path.endsWith(behind)) return undefined
  const part = path.slice(before.length, path.length - behind.length)
  return part === "" || part.includes("/") ? undefined : part
}

/** Compiles the table into a look-up. */
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
    return { credential, routes, allow: allowOf(routes), parameter: "" }
  }
  const fixed = new Map<string, Resource>()
  const withParameter: Array<WithParameter> = []
  for (const [path, layers] of Map.groupBy(router.stack, (layer) => String(layer.path))) {
    const [layer] = layers
    if (layer === undefined) continue
    if (layer.paramNames.length === 0) fixed.set(path, resourceOf(layers))
    else {
      const [, before, behind] = parameterForm.exec(path) ?? []
      if (before === undefined || behind === undefined) throw new Error(`${path} leaves more than one part open`)
      withParameter.push({ before, behind, resource: resourceOf(layers) })
    }
  }

  return (path) => {
    const resource = fixed.get(path)
    if (resource !== undefined) return resource
    for (const one of withParameter) {
      const part = parameterIn(path, one)
      if (part !== undefined) return { ...one.resource, parameter: decoded(part) }
    }
    return isUnderApi(path) ? noResourceInApi : noResource
  }
}
