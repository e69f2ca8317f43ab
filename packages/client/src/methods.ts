/** The operations as functions. What a function sends and reads follows from its request in core's table. */
import type { operations } from "@petstore/core/contract"
import { type Request, uniqueName } from "./call.js"
import type { CallOptions, ChangeOptions, CreateOptions } from "./call-options.js"
import { decodeCategory, encodeNewCategory } from "./category.js"
import { type ChangeQuery, decodeChange } from "./change.js"
import { makePetstoreError } from "./errors.js"
import { categories, orderStatuses, orders, others, petStatuses, petsPath } from "./facts.js"
import { decodeEach, must, mustBeInt64 } from "./fields.js"
import { decodeInventory } from "./inventory.js"
import { decodeMe } from "./me.js"
import { decodeOrder, encodeNewOrder, encodeOrderChange, type OrderQuery } from "./order.js"
import { type AnyQuery, type ListQuery, type PetQuery, pagePath, readPage } from "./page.js"
import { decodePet, encodeNewPet, encodePetCorrection } from "./pet.js"
import type { Success } from "./request.js"
import type { Result } from "./result.js"

// By the names of the schemas in the contract.
const encoders = {
  NewPet: encodeNewPet,
  NewOrder: encodeNewOrder,
  OrderChange: encodeOrderChange,
  PetCorrection: encodePetCorrection,
  NewCategory: encodeNewCategory,
}
const decoders = { Pet: decodePet, Order: decodeOrder, Inventory: decodeInventory, Me: decodeMe, Category: decodeCategory }
const lists = { Pets: decodePet, Orders: decodeOrder, Categories: decodeCategory, Changes: decodeChange }
// A list of other items has no statuses.
const statuses = { Pets: petStatuses, Orders: orderStatuses }

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
    readonly items: ReadonlyArray<Decoded<(typeof lists)[Many]>>
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
type Method<Name extends keyof Operations> = MethodOf<Operations[Name]>[Operations[Name]["kind"]]

/** The operations on one resource, by the verbs of their names. */
type On<Noun extends string> = {
  readonly [Name in keyof Operations as Name extends `${infer Verb}${Noun}` ? Verb : never]: Method<Name>
}

export interface Methods {
  readonly orders: On<"Order" | "Orders">
  readonly categories: On<"Category" | "Categories">
  readonly others: {
    readonly [Name in keyof Operations as Name extends `${string}${"Order" | "Categor"}${string}` ? never : Name]: Method<Name>
  }
}

type Send = (request: Request, options: CallOptions) => Promise<Result<unknown>>

const mustBeKey = must("1 to 255 visible ASCII characters without quotes", (key) => /^[!#-~]{1,255}$/.test(String(key)))

const mustBeTags = must("entity tags, or *", (tags) => tags === undefined || /^[ -~]+$/.test(String(tags)))

/** Returns the condition of a change. */
const conditionOf = (options: ChangeOptions): Pick<Request, "ifMatch" | "ifNoneMatch"> => {
  const { ifMatch, ifNoneMatch } = options
  // If `ifMatch` were ignored here, the change would have no condition.
  if ("ifMatch" in options && ifMatch === undefined) {
    const message = "Nothing was sent: ifMatch is undefined, because this item has no known ETag."
    throw makePetstoreError({ code: "missing_etag", message, requestId: uniqueName(), attempts: 0 })
  }
  return { ifMatch: mustBeTags("ifMatch", ifMatch), ifNoneMatch: mustBeTags("ifNoneMatch", ifNoneMatch) }
}

const valued = (value: unknown) => (value === undefined ? undefined : { value })

/** Returns the function that sends a request. Its arguments are an identifier, and a query or a body, if needed; then the options. */
const methodOf = (line: string, send: Send) => {
  const [method = "", path = "", gives = "", takes = ""] = line.split(" ")
  // Safe: the keys of the tables are the schemas of the requests. Otherwise `MethodOf` would contain `never`, and `Client` would
  // not compile. The types of `Client` are those of the arguments.
  const encode = encoders[takes as keyof typeof encoders] as ((given: unknown) => string) | undefined
  const decodeOne = decoders[gives as keyof typeof decoders]
  const decodeItem = lists[gives as keyof typeof lists] as ((json: unknown) => unknown) | undefined
  return async (...given: Array<unknown>) => {
    const pathOfOne = path.replace("{}", () => String(mustBeInt64("The identifier", given.shift())))
    const query = ((decodeItem && given.shift()) ?? {}) as AnyQuery
    const body = encode?.(given.shift())
    const options = (given.shift() ?? {}) as ChangeOptions & CreateOptions
    const { idempotencyKey = uniqueName() } = options
    const read = ({ status, headers, json }: Success) => {
      if (gives === "") return status === 204 ? { value: undefined } : undefined
      if (decodeItem === undefined) return valued(decodeOne(json))
      const items = decodeEach(json, decodeItem)
      return valued(readPage(query, items, headers, gives === "Changes" && items?.length === 0))
    }
    return send(
      {
        method,
        path: decodeItem === undefined ? pathOfOne : pagePath(path, statuses[gives as keyof typeof statuses] ?? [], query),
        body,
        ...(method === "POST" && takes !== "" && { idempotencyKey: mustBeKey("idempotencyKey", idempotencyKey) }),
        ...(method !== "POST" && method !== "GET" && conditionOf(options)),
        waitMillis: (query.wait ?? 0) * 1000,
        read,
      },
      options,
    )
  }
}

/** Gets a pet by requesting a list of one pet. */
const petGetter =
  (send: Send) =>
  async (id: bigint, options: CallOptions = {}) => {
    mustBeInt64("The identifier", id)
    const read = ({ json }: Success) => {
      const pets = decodeEach(json, decodePet)
      const sentence = `No pet has the identifier ${id}.`
      if (pets?.length === 0) return { code: "pet_not_found", status: 404, sentence, retry: false } as const
      return valued(pets?.find((pet) => pet.id === id))
    }
    return send({ method: "GET", path: pagePath(petsPath, [], { id: [id] }), read }, options)
  }

export const methodsOf = (send: Send): Methods => {
  const methods = (lines: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, methodOf(line, send)]))
  // Safe: the type of each function is derived from the kind and the schemas of its request.
  return {
    orders: methods(orders),
    categories: methods(categories),
    others: { ...methods(others), getPet: petGetter(send) },
  } as unknown as Methods
}
