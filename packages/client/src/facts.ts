/** What requests need of core's tables. The build evaluates this module: the bundle has its values, and nothing else of core. */
import { type Description, errorCodes, factsOf, operations } from "@petstore/core/contract"

export { changeOperations, deployments, orderStatuses, petStatuses } from "@petstore/core"

const rows = Object.entries<Description>(operations)

/**
 * The calls of operations with some tags: for each name, the method, the path, and the names of the schemas of the response and
 * of the body, such as `PATCH /pets/{} Pet PetCorrection`.
 */
const callsOf = (tags: ReadonlyArray<string>, nameOf: (operation: string) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    rows
      // `getPet` is deprecated. The client requests a list of one pet instead.
      .filter(([, { tag, deprecation }]) => tags.includes(tag) && deprecation === undefined)
      .map(([name, { method, path, gives = "", takes = "" }]) => [
        nameOf(name),
        `${method} ${path.replace(/\{\w+\}/, "{}")} ${gives} ${takes}`.trimEnd(),
      ]),
  )

/** `listOrders` is `orders.list`. */
const verbOf = (operation: string): string => operation.replace(/[A-Z].*/, "")

export const orders = callsOf(["orders"], verbOf)
export const categories = callsOf(["categories"], verbOf)
export const others = callsOf(["pets", "inventory", "me", "changes"], (operation) => operation)
export const petsPath: string = operations.listPets.path

const facts = errorCodes.map((code) => ({ code, ...factsOf(code) }))

/** The statuses after which a retry may succeed, from the service or from a proxy in front of it. */
export const passing: ReadonlyArray<number> = [
  ...new Set([...facts.filter(({ retry }) => retry === true).map(({ status }) => status), 502, 504]),
]

/** The service's codes after which a change may have happened. */
export const unsettled: ReadonlyArray<string> = facts.filter((row) => row.unsettled === true).map(({ code }) => code)
