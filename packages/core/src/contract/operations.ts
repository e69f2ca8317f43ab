/**
 * The operations of the API, each described once (specification, section 4). The routes, `Allow`, decoding, responses,
 * telemetry names, the OpenAPI document, the docs page and the client are all derived from these rows. A row contains only facts,
 * to keep the client's bundle small. The sentences and examples are in `words.ts`, and the use cases in `use-cases.ts`.
 */
import type { ErrorCode } from "./failures.js"
import type { ParameterName } from "./parameters.js"
import { categories, orders, pets, type Stability } from "./resources.js"

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
  "invalid_body",
  "invalid_json",
  "unsupported_content_type",
  "invalid_parameter",
  "body_too_large",
] as const

type Codes = ReadonlyArray<ErrorCode>

type Resource = typeof pets | typeof orders | typeof categories

/** Describes the operations on a resource. Functions take what only one operation has: `more` has the codes of its use case. */
const on = <const R extends Resource>(resource: R) => {
  const { tag, stability, path, id, notFound, filters, one, given, many }: Pick<R, keyof Resource> = resource
  const common = { tag, stability, credential: true } as const
  const pathOfOne = `${path}/{${id}}` as const
  const conditional = [id, "ifMatch", "ifNoneMatchWrite"] as const
  return {
    list: {
      ...common,
      kind: "list",
      method: "GET",
      path,
      parameters: [...filters, "ifNoneMatch"],
      status: 200,
      gives: many,
      codes: ["invalid_parameter"],
    },
    /** `POST` of a new item, once for each idempotency key. */
    create: <const More extends Codes>(...more: More) =>
      ({
        ...common,
        kind: "create",
        method: "POST",
        path,
        parameters: ["idempotencyKey"],
        takes: given,
        status: 201,
        gives: one,
        codes: [...bodyCodes, "idempotency_key_reused", ...more],
      }) as const,
    read: {
      ...common,
      kind: "read",
      method: "GET",
      path: pathOfOne,
      parameters: [id, "ifNoneMatch"],
      status: 200,
      gives: one,
      codes: [notFound],
    },
    /** `POST` to an action on one item, without a body. Repeating the call is harmless. */
    action: <const Verb extends string, const More extends Codes>(verb: Verb, ...more: More) =>
      ({
        ...common,
        stability: "experimental",
        kind: "action",
        method: "POST",
        path: `${pathOfOne}/${verb}`,
        parameters: [id],
        status: 200,
        gives: one,
        codes: [...changeCodes, notFound, ...more],
      }) as const,
    /** `PATCH` of one item by its identifier (RFC 5789), with a JSON Merge Patch (RFC 7396). */
    patch: <const Patched extends string, const More extends Codes>(takes: Patched, ...more: More) =>
      ({
        ...common,
        stability: "experimental",
        kind: "patch",
        method: "PATCH",
        path: pathOfOne,
        parameters: conditional,
        takes,
        status: 200,
        gives: one,
        codes: [...bodyCodes, notFound, "precondition_failed", ...more],
      }) as const,
    /** `PUT` of one item under an identifier that the caller chose: 201 if it is new. Accepts a condition. */
    replace: {
      ...common,
      kind: "replace",
      method: "PUT",
      path: pathOfOne,
      parameters: conditional,
      takes: given,
      status: 200,
      gives: one,
      codes: [...bodyCodes, notFound, "precondition_failed"],
    },
    remove: <const More extends Codes>(...more: More) =>
      ({
        ...common,
        stability: "experimental",
        kind: "remove",
        method: "DELETE",
        path: pathOfOne,
        parameters: conditional,
        status: 204,
        codes: [...changeCodes, "invalid_parameter", notFound, "precondition_failed", ...more],
      }) as const,
  } as const
}

/** A read of what exists once, such as the inventory. */
const readOfOne = {
  stability: "experimental",
  credential: true,
  kind: "read",
  method: "GET",
  parameters: ["ifNoneMatch"],
  status: 200,
  codes: [],
} as const

/** The deprecation of getPet (specification, section 4.3). A later release will remove getPet; the date itself has no effect. */
const untilDecember2030 = {
  // 5 December 2025, 00:00:00 UTC.
  deprecation: "@1764892800",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  replacedBy: "listPets",
} as const

/** Every operation by its name. */
export const operations = {
  listPets: on(pets).list,
  createPet: on(pets).create(),
  getPet: { ...on(pets).read, deprecation: untilDecember2030 },
  correctPet: on(pets).patch("PetCorrection", "pet_reserved"),
  removePet: on(pets).remove("pet_reserved"),
  restorePet: on(pets).action("restore"),
  listOrders: on(orders).list,
  createOrder: on(orders).create("pet_not_found", "pet_not_available"),
  getOrder: on(orders).read,
  completeOrder: on(orders).action("complete", "order_closed"),
  cancelOrder: on(orders).action("cancel", "order_closed"),
  returnOrder: on(orders).action("return", "order_not_completed", "pet_changed"),
  changeOrder: on(orders).patch("OrderChange"),
  getInventory: { ...readOfOne, tag: "inventory", path: "/store/inventory", gives: "Inventory" },
  me: { ...readOfOne, tag: "me", path: "/me", gives: "Me" },
  listCategories: on(categories).list,
  getCategory: on(categories).read,
  replaceCategory: on(categories).replace,
  removeCategory: on(categories).remove(),
  listChanges: {
    tag: "changes",
    stability: "experimental",
    credential: true,
    kind: "list",
    method: "GET",
    path: "/changes",
    parameters: ["limit", "changedPetId", "changeDirection", "changeCursor", "wait", "ifNoneMatch"],
    status: 200,
    gives: "Changes",
    codes: ["invalid_parameter", "cursor_expired", "too_many_waiting"],
  },
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
