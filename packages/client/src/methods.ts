/** The operations as functions. The kind of an operation's description in core decides what its function sends and reads. */
import { type Description, operations } from "@petstore/core/contract"
import { type Call, uniqueName } from "./call.js"
import type { CallOptions, ChangeOptions, CreateOptions } from "./call-options.js"
import { decodeCategory, encodeNewCategory } from "./category.js"
import { type ChangeQuery, decodeChange } from "./change.js"
import { toError } from "./errors.js"
import { decodeInventory } from "./inventory.js"
import { decodeMe } from "./me.js"
import { decodeOrder, encodeNewOrder, encodeOrderChange, type OrderQuery, orderStatuses } from "./order.js"
import { type ListQuery, type PetQuery, pagePath, readPage } from "./page.js"
import { decodeEach, decodePet, encodeNewPet, encodePetCorrection, int64Of, petStatuses } from "./pet.js"
import type { Success } from "./request.js"
import type { Result } from "./result.js"

// Encoders, by the names of the schemas in the contract.
const encoders = {
  NewPet: encodeNewPet,
  NewOrder: encodeNewOrder,
  OrderChange: encodeOrderChange,
  PetCorrection: encodePetCorrection,
  NewCategory: encodeNewCategory,
}
const decoders = { Pet: decodePet, Order: decodeOrder, Inventory: decodeInventory, Me: decodeMe, Category: decodeCategory }
const lists = {
  Pets: { decode: decodePet, statuses: petStatuses },
  Orders: { decode: decodeOrder, statuses: orderStatuses },
  Categories: { decode: decodeCategory, statuses: {} },
  Changes: { decode: decodeChange, statuses: {} },
}

interface Queries {
  readonly Pets: PetQuery
  readonly Orders: OrderQuery
  readonly Categories: ListQuery
  readonly Changes: ChangeQuery
}

type Decoded<Decode extends (json: never) => unknown> = NonNullable<ReturnType<Decode>>

type List<Many extends keyof Queries, Query = Queries[Many]> = (
  query?: Query,
  options?: CallOptions,
) => Promise<
  Result<{
    readonly items: ReadonlyArray<Decoded<(typeof lists)[Many]["decode"]>>
    readonly next?: Query & { readonly cursor: string }
  }>
>

type GivenOf<D> = D extends { readonly takes: infer Name extends keyof typeof encoders }
  ? Parameters<(typeof encoders)[Name]>[0]
  : never
type OneOf<D> = D extends { readonly gives: infer Name extends keyof typeof decoders } ? Decoded<(typeof decoders)[Name]> : never

/** The function of an operation, by the operation's kind. */
interface MethodOf<D> {
  readonly list: D extends { readonly gives: infer Many extends keyof typeof lists } ? List<Many> : never
  readonly create: (given: GivenOf<D>, options?: CreateOptions) => Promise<Result<OneOf<D>>>
  readonly patch: (id: bigint, given: GivenOf<D>, options?: ChangeOptions) => Promise<Result<OneOf<D>>>
  readonly replace: MethodOf<D>["patch"]
  readonly remove: (id: bigint, options?: ChangeOptions) => Promise<Result<undefined>>
  readonly read: D extends { readonly path: `${string}{${string}` }
    ? (id: bigint, options?: CallOptions) => Promise<Result<OneOf<D>>>
    : (options?: CallOptions) => Promise<Result<OneOf<D>>>
  readonly action: MethodOf<D>["read"]
}

type Operations = typeof operations

export type Methods = { readonly [Name in keyof Operations]: MethodOf<Operations[Name]>[Operations[Name]["kind"]] }

/** A request to an operation. `path` is relative to the base address. */
type OperationRequest = Pick<Call<unknown>, "method" | "decode" | "condition"> &
  Partial<Pick<Call<unknown>, "body" | "idempotencyKey" | "nothing">> & {
    readonly path: string
    /** How long the service may wait on purpose. */
    readonly waitMillis?: number
  }

type Send = (request: OperationRequest, options: CallOptions) => Promise<Result<unknown>>

/** Checks the format of an idempotency key (specification 12.4). */
const checkIdempotencyKey = (key: string): void => {
  if (!/^[!#-~]{1,255}$/.test(key))
    throw new TypeError("idempotencyKey must be 1 to 255 visible ASCII characters without quotes.")
}

const conditionOf = (options: ChangeOptions): Call<unknown>["condition"] => {
  const { ifMatch, ifNoneMatch } = options
  // If `ifMatch` were ignored here, the change would have no condition.
  if ("ifMatch" in options && ifMatch === undefined) {
    const sentence = "The change was not sent: ifMatch is undefined, because this item has no known ETag."
    const facts = { apiKey: "", requestId: uniqueName(), attempts: 0, idempotencyKey: undefined } as const
    throw toError(
      { code: "missing_etag", status: undefined, sentence, retry: false },
      { ...facts, effect: "changes conditionally" },
    )
  }
  const given = Object.entries({ "If-Match": ifMatch, "If-None-Match": ifNoneMatch })
  const headers = given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  for (const [name, value] of headers) if (!/^[ -~]+$/.test(value)) throw new TypeError(`${name} must be entity tags, or *.`)
  return headers.length === 0 ? undefined : Object.fromEntries(headers)
}

const methodOf = ({ kind, method, path, takes, gives }: Description, send: Send) => {
  // Safe: the keys of the three tables are the schemas in the descriptions. Otherwise `MethodOf` would contain `never`, and
  // `Client` would not compile.
  const decodeOne = decoders[gives as keyof typeof decoders]
  const encode = encoders[takes as keyof typeof encoders] as (given: unknown) => string
  const decode = ({ json }: Success): unknown => decodeOne(json)
  const pathTo = (id: bigint): string => path.replace(/\{\w+\}/, String(int64Of("The identifier", id)))
  switch (kind) {
    case "list": {
      const { decode: decodeItem, statuses } = lists[gives as keyof typeof lists]
      return async (query: ListQuery & { readonly wait?: number } = {}, options: CallOptions = {}) => {
        const read = ({ json, headers }: Success) => {
          const items = decodeEach<unknown>(json, decodeItem)
          return readPage(query, items, headers, gives === "Changes" && items?.length === 0)
        }
        const waitMillis = (query.wait ?? 0) * 1000
        return send({ method, path: pagePath(path, statuses, query), decode: read, waitMillis }, options)
      }
    }
    case "create":
      return async (given: unknown, options: CreateOptions = {}) => {
        const body = encode(given)
        const { idempotencyKey = uniqueName() } = options
        checkIdempotencyKey(idempotencyKey)
        return send({ method, path, body, idempotencyKey, decode }, options)
      }
    case "patch":
    case "replace":
      return async (id: bigint, given: unknown, options: ChangeOptions = {}) =>
        send({ method, path: pathTo(id), body: encode(given), condition: conditionOf(options), decode }, options)
    case "remove":
      return async (id: bigint, options: ChangeOptions = {}) => {
        const condition = conditionOf(options)
        const decode = ({ status }: Success) => status === 204 || undefined
        return { ...(await send({ method, path: pathTo(id), condition, decode }, options)), value: undefined }
      }
    default:
      if (!path.includes("{")) return async (options: CallOptions = {}) => send({ method, path, decode }, options)
      return async (id: bigint, options: CallOptions = {}) => send({ method, path: pathTo(id), decode }, options)
  }
}

/** Gets a pet by requesting a list of one pet. */
const petGetter =
  (send: Send) =>
  async (id: bigint, options: CallOptions = {}) => {
    const { method, path } = operations.listPets
    const identifier = int64Of("The identifier", id)
    const decode = ({ json }: Success) => {
      const pets = decodeEach(json, decodePet)
      return pets?.length === 0 ? null : pets?.find((pet) => pet.id === identifier)
    }
    const sentence = `No pet has the identifier ${identifier}.`
    const nothing = { code: "pet_not_found", status: 404, sentence, retry: false } as const
    return send({ method, path: pagePath(path, petStatuses, { id: [identifier] }), decode, nothing }, options)
  }

export const methodsOf = (send: Send): Methods =>
  // Safe: the type of each function is derived from the kind and the schemas that `methodOf` reads.
  ({
    ...Object.fromEntries(Object.entries(operations).map(([name, description]) => [name, methodOf(description, send)])),
    getPet: petGetter(send),
  }) as unknown as Methods
