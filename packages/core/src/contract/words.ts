import type { Description, OperationName, operations } from "./operations.js"

/** A value shown as an example. A `bigint` is written with all its digits. */
export interface Sample {
  readonly summary: string
  readonly value: unknown
}

type Samples = Readonly<Record<string, Sample>>

/** The texts that people read about an operation. */
export interface Words {
  readonly summary: string
  readonly description: string
  readonly response: string
  readonly responses?: Samples
  readonly body?: string
  readonly bodies?: Samples
}

/** An operation must describe its request body and its response body, where it has them. */
type WordsOf<D extends Description> = Pick<Words, "summary" | "description" | "response"> &
  (D extends { readonly takes: string } ? Required<Pick<Words, "body" | "bodies">> : unknown) &
  (D extends { readonly gives: string } ? Required<Pick<Words, "responses">> : unknown)

// The identifiers are those of a new catalogue, and small: a console that uses floating-point numbers sends the first example.
const bello = { id: 1n, name: "Bello", categoryId: 7, status: "available" }
const mia = { name: "Mia", categoryId: 9007199254740993n }

const placed = {
  id: 1n,
  petId: bello.id,
  status: "placed",
  createdAt: "2026-11-20T09:30:00.000Z",
  updatedAt: "2026-11-20T09:30:00.000Z",
}

const dogs = { id: bello.categoryId, name: "Dogs" }

const added = {
  id: "1-0f3k2a",
  at: "2026-11-20T09:15:00.000Z",
  operation: "createPet",
  by: {
    account: { id: "acc_8cYl2VbQx0LdPz7k", name: "shop" },
    key: { id: "key_Zr81TqXwN3vUeK5m" },
  },
  requestId: "3f0c9a52-8e0e-4f0b-9a66-5b7f6f6f2d10",
  after: { pet: bello },
}

const asItIsNow = (summary: string, order: object) => ({
  response: "The order as it is now.",
  responses: { now: { summary, value: { ...placed, updatedAt: "2026-11-20T10:15:00.000Z", ...order } } },
})

/** The texts about each operation. A missing row is a compile error. */
export const words: Readonly<Record<OperationName, Words>> = {
  listPets: {
    summary: "List animals",
    description:
      "Returns one page of the catalogue, in ascending order of `id` unless `order` says otherwise. Filters may be combined. If more animals match, the `Link` header has the path of the next page. Following the links visits every animal that existed when paging began exactly once, even if others are added meanwhile. With `name` or several filters, a page may be short or empty and still have a next page. Parameters with other names, such as `page` or `offset`, are ignored, but another spelling of one of these names (`Status`, `id[]`) is refused.",
    response: "One page of animals.",
    responses: {
      page: { summary: "One animal", value: [bello] },
      empty: { summary: "Nothing matches", value: [] },
    },
  },
  createPet: {
    summary: "Add an animal",
    description:
      "Adds an animal and returns it with the `id` that the service assigned. Members that are not listed, such as `id`, are ignored, but another spelling of a listed one (`Status`) is refused. A `status` that is left out stays absent. The response is sent after the animal is on disk. With an `Idempotency-Key` it is safe to send the request again: only one animal is added, and the response is the same.",
    body: "The animal to add, as a JSON object in UTF-8.",
    bodies: {
      whole: { summary: "With every member", value: { name: bello.name, categoryId: bello.categoryId, status: bello.status } },
      exact: { summary: "Without a status, in a category past 2^53", value: mia },
    },
    response: "The animal as it was added.",
    responses: { created: { summary: "The new animal", value: bello } },
  },
  getPet: {
    summary: "Get an animal",
    description:
      "Returns one animal by its identifier. This operation is deprecated and will be removed: use `GET /pets?id=` with the identifier instead.",
    response: "The animal.",
    responses: { found: { summary: "The animal", value: bello } },
  },
  correctPet: {
    summary: "Correct an animal",
    description:
      "Changes the members that the body has and leaves all others as they are (JSON Merge Patch, RFC 7396). `null` removes the status. The status of an animal that a placed order holds cannot change. With `If-Match`, the animal changes only if it is still as you read it.",
    body: "The members to change, as a JSON object in UTF-8. The media type `application/merge-patch+json` is accepted too.",
    bodies: {
      name: { summary: "Another name", value: { name: mia.name } },
      status: { summary: "No status", value: { status: null } },
    },
    response: "The animal as it is now.",
    responses: { corrected: { summary: "The animal with its new name", value: { ...bello, name: mia.name } } },
  },
  removePet: {
    summary: "Remove an animal",
    description:
      "Removes an animal. No other animal ever gets its identifier, and its orders stay. `POST /pets/{petId}/restore` brings it back. An animal that a placed order holds cannot be removed. A body is ignored.",
    response: "The animal is removed.",
  },
  restorePet: {
    summary: "Bring an animal back",
    description:
      "Brings a removed animal back under its own identifier, as it was when it was removed, for as long as the history has its removal. An animal that was not removed stays as it is. A body is ignored.",
    response: "The animal as it is now.",
    // The animal that the sample of removePet removes.
    responses: { restored: { summary: "The animal", value: { ...bello, id: 2n } } },
  },
  listOrders: {
    summary: "List orders",
    description:
      "Returns one page of orders, in ascending order of `id` unless `order` says otherwise. Paging works as for `GET /pets`. An order whose status changes while you page through a filtered list may or may not be seen.",
    response: "One page of orders.",
    responses: { page: { summary: "One order", value: [placed] }, empty: { summary: "No orders", value: [] } },
  },
  createOrder: {
    summary: "Order an animal",
    description:
      "Orders an animal whose status is `available`. Its status becomes `pending`. If several callers order the same animal, only one of them gets it. Every account can read the `note`: put nothing private into it. With an `Idempotency-Key` it is safe to send the request again.",
    body: "The animal to order, as a JSON object in UTF-8.",
    bodies: {
      order: { summary: "An order", value: { petId: placed.petId } },
      noted: { summary: "With a note", value: { petId: placed.petId, note: "Collects on Friday" } },
    },
    response: "The order as it was placed.",
    responses: { placed: { summary: "The new order", value: placed } },
  },
  getOrder: {
    summary: "Get an order",
    description: "Returns one order by its identifier.",
    response: "The order.",
    responses: { found: { summary: "The order", value: placed } },
  },
  completeOrder: {
    summary: "Complete an order",
    description: "Completes a placed order: its animal becomes `sold`. Completing it again changes nothing. A body is ignored.",
    ...asItIsNow("The order, completed", { status: "completed" }),
  },
  cancelOrder: {
    summary: "Cancel an order",
    description:
      "Cancels a placed order: its animal becomes `available` again. Cancelling it again changes nothing. A body is ignored.",
    // A different order, because a completed order cannot be cancelled; the second animal was removed.
    ...asItIsNow("The order, cancelled", { id: 2n, petId: 3n, status: "cancelled" }),
  },
  returnOrder: {
    summary: "Take an order back",
    description:
      "Takes a completed order back: its animal becomes `available` again. Returning it again changes nothing. If the animal was removed, is no longer `sold`, or was sold again by a later order, nothing changes. A body is ignored.",
    ...asItIsNow("The order, returned", { status: "returned" }),
  },
  changeOrder: {
    summary: "Note something on an order",
    description:
      "Replaces the note of an order, whatever its status (JSON Merge Patch, RFC 7396). `null` removes the note. Every account can read notes: put nothing private into them. With `If-Match`, the order changes only if it is still as you read it.",
    body: "The note, as a JSON object in UTF-8. The media type `application/merge-patch+json` is accepted too.",
    bodies: {
      note: { summary: "A note", value: { note: "Collects on Friday" } },
      none: { summary: "No note", value: { note: null } },
    },
    ...asItIsNow("The order with its note", { status: "returned", note: "Collects on Friday" }),
  },
  getInventory: {
    summary: "Count animals",
    description:
      "Returns the number of animals with each status, without a status, and in total. The numbers are exact, include the effects of orders and imports, and cost the same however many animals there are.",
    response: "How many animals there are.",
    responses: {
      counts: {
        summary: "Twelve animals",
        value: { available: 7, pending: 2, sold: 2, withoutStatus: 1, total: 12 },
      },
    },
  },
  me: {
    summary: "Find out who calls",
    description:
      "Returns the API key of the request, without its secret, and its account. `readOnly` says whether the key may only read. A key without a label or an expiry leaves that member out.",
    response: "The caller.",
    responses: {
      first: {
        summary: "The first key of a new store",
        value: {
          account: { id: "acc_9fQkW2hXz0LrTb5m", name: "development" },
          key: { id: "key_Pw4uE7sNcJ1yVd6a", readOnly: false },
          deployment: "development",
        },
      },
      labelled: {
        summary: "A key with a label that expires",
        value: {
          account: { id: "acc_3kTMd92Jx7QpLw0z", name: "Ada's shop" },
          key: { id: "key_Zr8vY1cN5bHs6gFa", label: "till", readOnly: false, expiresAt: "2027-11-20T09:30:00.000Z" },
          deployment: "production",
        },
      },
    },
  },
  listCategories: {
    summary: "List categories",
    description:
      "Returns one page of the categories that have a name, in ascending order of `id`. Paging works as for `GET /pets`. An animal may have a `categoryId` without a name.",
    response: "One page of categories.",
    responses: { page: { summary: "One category", value: [dogs] }, empty: { summary: "No categories", value: [] } },
  },
  getCategory: {
    summary: "Get a category",
    description: "Returns one category by its identifier.",
    response: "The category.",
    responses: { found: { summary: "The category", value: dogs } },
  },
  replaceCategory: {
    summary: "Name a category",
    description:
      "Names the category with this identifier, whether or not it already has a name. Sending the request again changes nothing. With `If-Match`, it replaces the name only if it is still as you read it. With `If-None-Match: *`, it never replaces a name.",
    body: "The name, as a JSON object in UTF-8.",
    bodies: { named: { summary: "A name", value: { name: dogs.name } } },
    response: "The category as it is now; 201 if it had no name before.",
    responses: { named: { summary: "The category", value: dogs } },
  },
  removeCategory: {
    summary: "Remove a category",
    description: "Removes a category's name. Animals keep their `categoryId`. A body is ignored.",
    response: "The category no longer has a name.",
  },
  listChanges: {
    summary: "List changes",
    description:
      "Returns what happened to animals, orders and categories, oldest first unless `order` says otherwise: each change with the time, the caller, and the resources before and after it. Changes of one animal are in the order in which they happened. From the oldest, every response has a `Link` header, also an empty one: keep it, and request it later. You then get each later change once, whichever process of the service made it. Changes are kept for a time that the operator sets, 366 days by default.",
    response: "One page of changes.",
    responses: { page: { summary: "A new animal", value: [added] }, empty: { summary: "Nothing happened", value: [] } },
  },
} satisfies { readonly [Name in OperationName]: WordsOf<(typeof operations)[Name]> }
