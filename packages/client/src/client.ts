/** The client: the operations of the pet store as functions. */
import { operations, pathOf } from "@petstore/core/contract"
import { type Limits, send, uniqueName } from "./call.js"
import type { CallOptions, CreateOptions } from "./call-options.js"
import { decodeInventory, type Inventory } from "./inventory.js"
import { type Orders, ordersWith } from "./orders.js"
import { everyItem, type Page, type PetQuery, pagePath, readPage } from "./page.js"
import { decodeEach, decodePet, encodeNewPet, int64Of, type NewPet, type Pet, petStatuses } from "./pet.js"
import type { Fetch } from "./platform.js"
import type { SendRequest } from "./send-request.js"

/** What a client is made from. */
export interface ClientOptions extends Omit<CallOptions, "signal"> {
  /** The base address of the deployment, `/v1` included. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Sends the requests, if not the global `fetch`. */
  readonly fetch?: Fetch | undefined
}

/** The operations. Each rejects with a {@link PetstoreError}, or with a `TypeError` if an argument cannot be right. */
export interface Client {
  /**
   * Lists one page of pets by ascending identifier, 20 of them unless `limit` says
   * otherwise. `next` of the page is the query of the next one.
   *
   * @example
   * const page = await petstore.listPets({ status: "available", limit: 50 })
   * if (page.next !== undefined) await petstore.listPets(page.next)
   */
  readonly listPets: (query?: PetQuery, options?: CallOptions) => Promise<Page>

  /**
   * Every pet, page by page as you go; `options` hold for each page. Pets that existed when
   * it began come exactly once, whatever is added meanwhile.
   *
   * @example for await (const pet of petstore.listAllPets({ status: "sold" })) console.log(pet.id)
   */
  readonly listAllPets: (query?: PetQuery, options?: CallOptions) => AsyncGenerator<Pet, void, undefined>

  /**
   * Creates a pet, once: the requests of one call carry one idempotency key, so a lost
   * answer is asked for again and never makes a second pet.
   *
   * @example const { id } = await petstore.createPet({ name: "Bello", categoryId: 7n })
   */
  readonly createPet: (pet: NewPet, options?: CreateOptions) => Promise<Pet>

  /**
   * Gets one pet by its identifier.
   *
   * @deprecated The service removes this operation on 5 December 2030. Use `listPets` with its `status` filter.
   */
  readonly getPet: (id: bigint, options?: CallOptions) => Promise<Pet>

  /**
   * How many pets there are, by status and in all: exact, and as cheap on a large catalogue as on a small one.
   *
   * @experimental It may change in a minor release.
   */
  readonly getInventory: (options?: CallOptions) => Promise<Inventory>

  /**
   * Orders of pets.
   *
   * @experimental They may change in a minor release.
   */
  readonly orders: Orders
}

const defaults: Limits = { timeout: 30_000, attemptTimeout: 10_000, maxRetries: 5 }

/**
 * Makes a client. Throws a `TypeError` if an option can not be right; sends nothing.
 *
 * @example const petstore = createClient({ baseUrl: "http://127.0.0.1:3000/v1", apiKey })
 */
export const createClient = (options: ClientOptions): Client => {
  const { apiKey } = options
  const base = decodeBaseUrl(options.baseUrl)
  checkApiKey(apiKey)
  const ofClient = limitsFrom(options, defaults)
  // The global is looked up for each request, and called as no method: browsers refuse it on another object.
  const { fetch = (input, init) => globalThis.fetch(input, init) } = options

  const request: SendRequest["request"] = (call, callOptions) =>
    send(
      {
        fetch,
        apiKey,
        method: call.method,
        url: base + call.path,
        body: call.body,
        idempotencyKey: call.idempotencyKey,
        signal: callOptions.signal,
        decode: call.decode,
      },
      limitsFrom(callOptions, ofClient),
    )

  const create: SendRequest["create"] = async (path, body, decode, callOptions) => {
    const { idempotencyKey = uniqueName() } = callOptions
    checkIdempotencyKey(idempotencyKey)
    return request({ method: "POST", path, body, idempotencyKey, decode }, callOptions)
  }

  const listPets: Client["listPets"] = async (query = {}, callOptions = {}) =>
    request(
      {
        method: operations.listPets.method,
        path: pagePath(operations.listPets.path, petStatuses, query),
        decode: ({ json, headers }): Page | undefined => readPage(query, decodeEach(json, decodePet), headers),
      },
      callOptions,
    )

  const decode = ({ json }: { readonly json: unknown }) => decodePet(json)

  return {
    listPets,
    listAllPets: (query, callOptions) => everyItem(listPets, query, callOptions),
    createPet: async (pet, callOptions = {}) => create(operations.createPet.path, encodeNewPet(pet), decode, callOptions),
    getPet: async (id, callOptions = {}) =>
      request({ method: operations.getPet.method, path: pathOf("getPet", int64Of("The identifier", id)), decode }, callOptions),
    getInventory: async (callOptions = {}) =>
      request({ ...operations.getInventory, decode: ({ json }) => decodeInventory(json) }, callOptions),
    orders: ordersWith({ request, create }),
  }
}

/** The base address without a slash at its end. */
const decodeBaseUrl = (text: string): string => {
  const expected = "baseUrl must be the whole base address of the service, such as https://pets.example/v1"
  const url = URL.parse(text)
  if (url === null) throw new TypeError(`${expected}: it is no absolute URL.`)
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`${expected}: it starts with ${url.protocol}`)
  if (`${url.search}${url.hash}${url.username}${url.password}` !== "") {
    throw new TypeError(`${expected}: it has a query, a fragment or a user name.`)
  }
  return url.origin + url.pathname.replace(/\/+$/, "")
}

/** What a header can not hold would be repeated by the error of `fetch`, secret and all. */
const checkApiKey = (apiKey: string): void => {
  if (!/^[!-~]+$/.test(apiKey)) {
    throw new TypeError(
      "apiKey must be the API key and nothing else: it is empty, or has a space, a line break or a character of no key.",
    )
  }
}

/** As the service reads it: specification, sentence 12.4. */
const checkIdempotencyKey = (key: string): void => {
  if (!/^[!#-~]{1,255}$/.test(key))
    throw new TypeError("idempotencyKey must be 1 to 255 visible ASCII characters without quotes.")
}

const limitsFrom = (options: CallOptions, fallback: Limits): Limits => {
  const limit = (name: keyof Limits): number => {
    const value = options[name] ?? fallback[name]
    if (!(value >= 0)) throw new TypeError(`${name} must be a number of at least 0, got ${value}.`)
    return value
  }
  return { timeout: limit("timeout"), attemptTimeout: limit("attemptTimeout"), maxRetries: limit("maxRetries") }
}
