import { type Limits, limitsFrom, moreHeaders, type Sender, send } from "./call.js"
import type { CallOptions, ChangeOptions, CreateOptions } from "./call-options.js"
import type { Categories } from "./category.js"
import { type ChangeFeed, type ChangePage, type ChangeQuery, type FollowQuery, followChanges } from "./change.js"
import type { Inventory } from "./inventory.js"
import type { Me } from "./me.js"
import { methodsOf } from "./methods.js"
import type { Observers } from "./observers.js"
import type { Orders } from "./order.js"
import { everyItem, type Page, type PetQuery } from "./page.js"
import type { NewPet, Pet, PetCorrection } from "./pet.js"
import type { Fetch } from "./platform.js"
import type { Result } from "./result.js"

/** Options for a client. */
export interface ClientOptions extends Omit<CallOptions, "signal">, Observers {
  /** The deployment's base address, including `/v1`. */
  readonly baseUrl: string
  /**
   * The API key, or a function that returns a promise of the key. The function is called once for each call, before the call's
   * timeouts begin. If the function fails, the call rejects with the same error.
   */
  readonly apiKey: string | (() => Promise<string>)
  /** Sends the requests instead of the global `fetch`. */
  readonly fetch?: Fetch | undefined
}

/**
 * The operations. Each resolves with a {@link Result}, and iterations yield items. They reject with a {@link PetstoreError}, or
 * with a `TypeError` for an invalid argument.
 */
export interface Client {
  /**
   * Lists one page of pets: 20 pets by ascending identifier, unless `limit` or `order` says otherwise. The page's
   * `next` is the query for the next page. There are no page numbers.
   *
   * @example
   * const { value } = await petstore.listPets({ status: "available", limit: 50 })
   * if (value.next !== undefined) await petstore.listPets(value.next)
   */
  readonly listPets: (query?: PetQuery, options?: CallOptions) => Promise<Result<Page>>

  /**
   * Iterates over every pet that matches the query. Pages are requested as you consume them, and `options` apply to each page.
   * Pets that existed at the start occur exactly once, even if new pets are added meanwhile.
   *
   * @example for await (const pet of petstore.listAllPets({ status: "sold" })) console.log(pet.id)
   */
  readonly listAllPets: (query?: PetQuery, options?: CallOptions) => AsyncGenerator<Pet, void, undefined>

  /**
   * Creates one pet. All requests of one call have the same idempotency key, so repeating a request whose response was lost
   * never creates a second pet.
   *
   * @example const { value: bello } = await petstore.createPet({ name: "Bello", categoryId: 7n })
   */
  readonly createPet: (pet: NewPet, options?: CreateOptions) => Promise<Result<Pet>>

  /**
   * Gets one pet by its identifier. Fails with `pet_not_found` if the pet does not exist. Requests a list of one pet, because
   * `GET /pets/{petId}` is deprecated.
   */
  readonly getPet: (id: bigint, options?: CallOptions) => Promise<Result<Pet>>

  /**
   * Corrects a pet, and returns the result. Members that are absent keep their values. The status of a pet that a placed order
   * holds cannot change.
   *
   * @experimental It may change in a minor release.
   * @example
   * const { value: pet, etag } = await petstore.createPet({ name: "Belo", categoryId: 7n })
   * await petstore.correctPet(pet.id, { name: "Bello" }, { ifMatch: etag })
   */
  readonly correctPet: (id: bigint, correction: PetCorrection, options?: ChangeOptions) => Promise<Result<Pet>>

  /**
   * Removes a pet. No other pet ever gets its identifier, and `restorePet` brings it back. A pet that a placed order holds cannot be removed.
   *
   * @experimental It may change in a minor release.
   */
  readonly removePet: (id: bigint, options?: ChangeOptions) => Promise<Result<undefined>>

  /**
   * Brings a removed pet back under its own identifier, as it was. A pet that exists stays as it is. Fails with
   * `pet_not_found` if the pet never existed, or if its removal is no longer in the history.
   *
   * @experimental It may change in a minor release.
   */
  readonly restorePet: (id: bigint, options?: CallOptions) => Promise<Result<Pet>>

  /**
   * Counts the pets, by status and in total. The counts are exact, and as fast for a large catalogue as for a small one.
   *
   * @experimental It may change in a minor release.
   */
  readonly getInventory: (options?: CallOptions) => Promise<Result<Inventory>>

  /**
   * Finds out who calls: the API key without its secret, its account, and whether the key may only read.
   *
   * @experimental It may change in a minor release.
   */
  readonly me: (options?: CallOptions) => Promise<Result<Me>>

  /**
   * Lists one page of what happened to pets, orders and categories, from the oldest kept change, unless `order` says otherwise.
   * Following `next` gets every later change once. Fails with `cursor_expired` if changes behind the cursor are no longer kept.
   *
   * @experimental It may change in a minor release.
   * @example const { value: latest } = await petstore.listChanges({ order: "desc", limit: 10 })
   */
  readonly listChanges: (query?: ChangeQuery, options?: CallOptions) => Promise<Result<ChangePage>>

  /**
   * Follows what happens, without an end: iterates over the changes from the oldest kept one, from `cursor`, or from now on, each
   * once and soon after it happened. Lost connections and failures that pass are repeated for ever. Ends only with your `signal`,
   * or with a failure that does not pass, such as `cursor_expired` or `invalid_credential`. `options` apply to each request.
   *
   * @experimental It may change in a minor release.
   * @example
   * const feed = petstore.changes({ cursor: await load() })
   * for await (const change of feed) {
   *   console.log(change.operation, change.after?.pet?.name)
   *   await save(feed.cursor)
   * }
   */
  readonly changes: (query?: FollowQuery, options?: CallOptions) => ChangeFeed

  /** The operations on orders. @experimental They may change in a minor release. */
  readonly orders: Orders

  /** The operations on the names of categories. @experimental They may change in a minor release. */
  readonly categories: Categories
}

const defaults: Limits = { timeout: 30_000, attemptTimeout: 10_000, maxRetries: 5 }

/**
 * Creates a client. Throws a `TypeError` for an invalid option. Sends no request.
 *
 * @example const petstore = createClient({ baseUrl: "http://127.0.0.1:3000/v1", apiKey })
 */
export const createClient = (options: ClientOptions): Client => {
  const { apiKey } = options
  if (typeof apiKey !== "function") checkApiKey(apiKey)
  const sender: Sender = {
    ...options,
    // Looks up the global `fetch` for each request.
    fetch: options.fetch ?? ((url, request) => globalThis.fetch(url, request)),
    baseUrl: decodeBaseUrl(options.baseUrl),
    limits: limitsFrom(options, defaults),
    headers: moreHeaders(options.headers),
    apiKey: async () => (typeof apiKey === "function" ? checkApiKey(await apiKey()) : apiKey),
  }
  const { orders, categories, others } = methodsOf((request, callOptions) => send(sender, request, callOptions))
  return {
    ...others,
    listAllPets: everyItem(others.listPets),
    changes: (query = {}, callOptions = {}) => followChanges(others.listChanges, query, callOptions),
    orders: { ...orders, listAll: everyItem(orders.list) },
    categories: { ...categories, listAll: everyItem(categories.list) },
  }
}

/** Returns the base address without a trailing slash. The error does not repeat the address, which may contain a password. */
const decodeBaseUrl = (text: string): string => {
  const url = URL.parse(text)
  if (url === null || !/^https?:/.test(url.href) || url.href !== url.origin + url.pathname) {
    throw new TypeError(
      "baseUrl must be the service's full base address, such as https://pets.example/v1, without a query, a fragment or a user name.",
    )
  }
  return url.origin + url.pathname.replace(/\/+$/, "")
}

/** Checks the key first, because the error that `fetch` throws for invalid characters in a header would repeat the secret. */
const checkApiKey = (apiKey: string): string => {
  if (typeof apiKey !== "string" || !/^[!-~]+$/.test(apiKey))
    throw new TypeError("apiKey must be the API key and nothing else, without spaces or line breaks.")
  return apiKey
}
