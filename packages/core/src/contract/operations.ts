/**
 * The operations of the API, each described once (specification, section 4). The routes, `Allow`, decoding, responses,
 * telemetry names, the OpenAPI document, the docs page and the client are all derived from these rows. A row contains only facts,
 * to keep the client's bundle small. The sentences and examples are in `words.ts`, and the use cases in `use-cases.ts`.
 */
import type { ErrorCode } from "./failures.js"
import type { ParameterName } from "./parameters.js"
import { categories, inventory, orders, pets, type Stability } from "./resources.js"

export interface OperationDeprecation {
  /** When the operation was deprecated, in the format of RFC 9745 §2.1. */
  readonly deprecation: string
  /** When the operation will be removed, in the format of RFC 8594 §3. */
  readonly sunset: string
  /** The name of the operation that replaces this one. */
  readonly replacedBy: string
}

/** The description of an operation. */
export interface Description {
  /** All operations of one kind are served and called in the same way. */
  readonly kind: "list" | "create" | "read" | "action" | "patch" | "replace" | "remove"
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Relative to the base address. `{name}` is a placeholder for a parameter. */
  readonly path: `/${string}`
  /** Its group in the contract. */
  readonly tag: string
  readonly stability: Stability
  /** Whether a request needs an API key. */
  readonly credential: true
  /** Path and query parameters, and the operation's own headers. */
  readonly parameters: ReadonlyArray<ParameterName>
  /** The name of the request body's schema. */
  readonly takes?: string
  /** The status of a success. `gives` names the schema of its body. */
  readonly status: 200 | 201 | 204
  readonly gives?: string
  /** The operation's own failures, besides those of any request. */
  readonly codes: ReadonlyArray<ErrorCode>
  readonly deprecation?: OperationDeprecation
}

const changeCodes = ["insufficient_scope"] as const

const bodyCodes = [
  ...changeCodes,
  "invalid_parameter",
  "invalid_json",
  "invalid_body",
  "unsupported_content_type",
  "body_too_large",
] as const

interface Resource {
  readonly tag: string
  readonly stability: Stability
  readonly path: `/${string}`
  readonly one: string
}

interface Collection extends Resource {
  readonly id: ParameterName
  readonly notFound: ErrorCode
  readonly filters: ReadonlyArray<ParameterName>
  readonly given: string
  readonly many: string
}

interface Changeable extends Collection {
  readonly patched: string
}

type Codes = ReadonlyArray<ErrorCode>

const of = <const R extends Resource>({ tag, stability }: R) =>
  ({ tag, stability, credential: true }) as {
    readonly tag: R["tag"]
    readonly stability: R["stability"]
    readonly credential: true
  }

const list = <const C extends Collection>(resource: C) => {
  const { path, filters, many }: Pick<C, "path" | "filters" | "many"> = resource
  return {
    ...of(resource),
    kind: "list",
    method: "GET",
    path,
    parameters: [...filters, "ifNoneMatch"],
    status: 200,
    gives: many,
    codes: ["invalid_parameter"],
  } as const
}

/** `POST` of a new item, once for each idempotency key. `more` has the codes of its use case. */
const create = <const C extends Collection, const More extends Codes = []>(resource: C, ...more: More) => {
  const { path, given, one }: Pick<C, "path" | "given" | "one"> = resource
  return {
    ...of(resource),
    kind: "create",
    method: "POST",
    path,
    parameters: ["idempotencyKey"],
    takes: given,
    status: 201,
    gives: one,
    codes: [...bodyCodes, "idempotency_key_reused", ...more],
  } as const
}

const read = <const C extends Collection>(resource: C) => {
  const { path: many, id, one, notFound }: Pick<C, "path" | "id" | "one" | "notFound"> = resource
  const path = `${many}/{${id}}` as const
  const parameters = [id, "ifNoneMatch"] as const
  return { ...of(resource), kind: "read", method: "GET", path, parameters, status: 200, gives: one, codes: [notFound] } as const
}

const readOnly = <const R extends Resource>(resource: R) => {
  const { path, one }: Pick<R, "path" | "one"> = resource
  const parameters = ["ifNoneMatch"] as const
  return { ...of(resource), kind: "read", method: "GET", path, parameters, status: 200, gives: one, codes: [] } as const
}

/** `POST` to an action on one item, without a body. Repeating the call is harmless. */
const action = <const C extends Collection, const Verb extends string, const More extends Codes>(
  resource: C,
  verb: Verb,
  ...more: More
) => {
  const { path: many, id, one, notFound }: Pick<C, "path" | "id" | "one" | "notFound"> = resource
  const path = `${many}/{${id}}/${verb}` as const
  const codes = [...changeCodes, notFound, ...more] as const
  return { ...of(resource), kind: "action", method: "POST", path, parameters: [id], status: 200, gives: one, codes } as const
}

/** `PATCH` of one item by its identifier (RFC 5789), with a JSON Merge Patch (RFC 7396). */
const patch = <const C extends Changeable, const More extends Codes>(resource: C, ...more: More) => {
  const { path: many, id, one, notFound, patched }: Pick<C, "path" | "id" | "one" | "notFound" | "patched"> = resource
  return {
    ...of(resource),
    stability: "experimental",
    kind: "patch",
    method: "PATCH",
    path: `${many}/{${id}}`,
    parameters: [id, "ifMatch", "ifNoneMatchWrite"],
    takes: patched,
    status: 200,
    gives: one,
    codes: [...bodyCodes, notFound, "precondition_failed", ...more],
  } as const
}

/** `PUT` of one item under an identifier that the caller chose: 201 if it is new. Accepts a condition. */
const replace = <const C extends Collection>(resource: C) => {
  const { path: many, id, one, given, notFound }: Pick<C, "path" | "id" | "one" | "given" | "notFound"> = resource
  return {
    ...of(resource),
    kind: "replace",
    method: "PUT",
    path: `${many}/{${id}}`,
    parameters: [id, "ifMatch", "ifNoneMatchWrite"],
    takes: given,
    status: 200,
    gives: one,
    codes: [...bodyCodes, notFound, "precondition_failed"],
  } as const
}

const remove = <const C extends Collection, const More extends Codes>(resource: C, ...more: More) => {
  const { path: many, id, notFound }: Pick<C, "path" | "id" | "notFound"> = resource
  return {
    ...of(resource),
    stability: "experimental",
    kind: "remove",
    method: "DELETE",
    path: `${many}/{${id}}`,
    parameters: [id, "ifMatch", "ifNoneMatchWrite"],
    status: 204,
    codes: [...changeCodes, "invalid_parameter", notFound, "precondition_failed", ...more],
  } as const
}

/** The deprecation of getPet (specification, section 4.3). A later release will remove getPet; the date itself has no effect. */
const untilDecember2030 = {
  // 5 December 2025, 00:00:00 UTC.
  deprecation: "@1764892800",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  replacedBy: "listPets",
} as const

/** Every operation by its name. */
export const operations = {
  listPets: list(pets),
  createPet: create(pets),
  getPet: { ...read(pets), deprecation: untilDecember2030 },
  correctPet: patch(pets, "pet_reserved"),
  removePet: remove(pets, "pet_reserved"),
  listOrders: list(orders),
  createOrder: create(orders, "pet_not_found", "pet_not_available"),
  getOrder: read(orders),
  completeOrder: action(orders, "complete", "order_closed"),
  cancelOrder: action(orders, "cancel", "order_closed"),
  getInventory: readOnly(inventory),
  listCategories: list(categories),
  getCategory: read(categories),
  replaceCategory: replace(categories),
  removeCategory: remove(categories),
} as const satisfies Readonly<Record<string, Description>>

/** An operation's name. */
export type OperationName = keyof typeof operations

/** An operation's description, typed with the optional members. */
export const descriptionOf = (operation: OperationName): Description => operations[operation]

/** Failures of any request under the base address, in the order of the checks. */
export const codesOfEvery = [
  "malformed_request",
  "missing_credential",
  "invalid_credential",
  "request_timeout",
  "rate_limited",
  "headers_too_large",
  "internal_error",
  "storage_unavailable",
  "service_overloaded",
] as const satisfies Codes

/**
 * Returns an operation's path with this value for its parameter, relative to the base address.
 *
 * @example pathOf("getPet", 7n) // "/pets/7"
 */
export const pathOf = (operation: OperationName, parameter: bigint): string =>
  operations[operation].path.replace(/\{\w+\}/, String(parameter))
