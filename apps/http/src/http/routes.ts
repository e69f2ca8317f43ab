/** From the table of operations to what is served at a path. @koa/router decides which path is which; a look-up made of its routes answers. */
import Router from "@koa/router"
import type { FindPlace, HeaderList, Place, Route } from "./exchange.js"
import type { Operation, Parts } from "./operation.js"

type Layer = Router["stack"][number]

/** The base address, and everything below it. */
const isUnderApi = (path: string): boolean => path === "/v1" || path.startsWith("/v1/")

const nothing = { routes: new Map(), allow: "OPTIONS", parameter: "" }
const nowhereInApi: Place = { ...nothing, credential: true }
const nowhere: Place = { ...nothing, credential: false }

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
  const router = new Router({ strict: true, sensitive: true })
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

/** Compiles the table into a look-up. */
export const findPlaceIn = (operations: ReadonlyArray<Operation>, parts: Parts): FindPlace => {
  const router = routerOf(operations)
  const placeOf = (layers: ReadonlyArray<Layer>): Place => {
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
  const fixed = new Map<string, Place>()
  const chosen: Array<{ readonly layer: Layer; readonly place: Place }> = []
  for (const [path, layers] of Map.groupBy(router.stack, (layer) => String(layer.path))) {
    const [layer] = layers
    if (layer === undefined) continue
    if (layer.paramNames.length === 0) fixed.set(path, placeOf(layers))
    else chosen.push({ layer, place: placeOf(layers) })
  }

  return (path) => {
    const place = fixed.get(path)
    if (place !== undefined) return place
    for (const { layer, place } of chosen) {
      const captured = layer.regexp.exec(path)?.[1]
      if (captured !== undefined) return { ...place, parameter: decoded(captured) }
    }
    return isUnderApi(path) ? nowhereInApi : nowhere
  }
}
