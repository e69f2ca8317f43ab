/**
 * Converts rows to domain values. In both databases, a row is an array, a 64-bit integer is a `bigint`, a timestamp is in ms
 * since 1970, and an absent value is `null`. Casts are safe: only these statements write the tables,
 * and they list the columns in this order.
 */
import {
  type Account,
  type ApiKey,
  type Category,
  type Deployment,
  type DeprecatedCalls,
  type Inventory,
  inventoryOf,
  type Order,
  OrderNotCompleted,
  orderReturn,
  type Pet,
  PetChanged,
  type PetId,
  PetNotAvailable,
  PetNotFound,
  type PetRefusal,
  PetReserved,
  type PetStatus,
  SoldPetChanged,
  type ValidNewOrder,
  type ValidNewPet,
  type Webhook,
  type WebhookDelivery,
} from "@petstore/core"
import { withNote } from "@petstore/core/internal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export const optionOfRow = <A>(row: unknown, of: (row: unknown) => A): Option.Option<A> =>
  Option.map(Option.fromNullable(row), of)

export const petColumns = "id, name, category_id, status"

export const petOf = (id: PetId, { name, categoryId, status }: ValidNewPet): Pet =>
  status === undefined ? { id, name, categoryId } : { id, name, categoryId, status }

/** The result of a compare-and-set on a pet. */
export type PetChange = "done" | "not-found" | "changed" | "reserved"

/**
 * Why a pet did not change. `row`, read afterwards, has the `petColumns` and whether an order reserves the pet. `to` is absent
 * for a removal. A pet that stays pending is never refused as reserved: its order may have been placed between the change and the
 * read.
 */
export const refusalOf = (row: unknown, seen: Pet, to?: Pet): Exclude<PetChange, "done"> => {
  if (row === undefined) return "not-found"
  const isReserved = Boolean((row as ReadonlyArray<unknown>)[4])
  return isReserved && to?.status !== "pending" && isSamePet(petOfRow(row), seen) ? "reserved" : "changed"
}

export const petChange = ({ id: petId }: Pet, change: PetChange): Effect.Effect<void, PetRefusal> => {
  if (change === "done") return Effect.void
  if (change === "not-found") return new PetNotFound({ petId })
  return change === "changed" ? new PetChanged({ petId }) : new PetReserved({ petId })
}

/** Compares everything except the identifiers. */
export const isSamePet = (one: Pet, other: Pet): boolean =>
  one.name === other.name && one.categoryId === other.categoryId && one.status === other.status

export const petOfRow = (row: unknown): Pet => {
  const [id, name, categoryId, status] = row as [PetId, string, bigint, PetStatus | null]
  return status === null ? { id, name, categoryId } : { id, name, categoryId, status }
}

/** Why a pet cannot be ordered, determined from a row with its status. */
export const orderRefusalOf = (row: unknown, petId: PetId): Effect.Effect<never, PetNotFound | PetNotAvailable> => {
  if (row === undefined) return new PetNotFound({ petId })
  const [status] = row as [PetStatus | null]
  return new PetNotAvailable({ petId, status: status ?? undefined })
}

export const orderColumns = "id, pet_id, status, created_at, updated_at, note"

export const orderOfRow = (row: unknown): Order => {
  const [id, petId, status, createdAt, updatedAt, note] = row as [
    Order["id"],
    PetId,
    Order["status"],
    bigint,
    bigint,
    string | null,
  ]
  const order = { id, petId, status, createdAt: dateOf(createdAt), updatedAt: dateOf(updatedAt) }
  return note === null ? order : { ...order, note }
}

/** A new order that was stored before, as the first request got it. */
export const firstOrder = (order: Order, { note }: ValidNewOrder): Order =>
  withNote({ ...order, status: "placed", updatedAt: order.createdAt }, note)

/** The result of an attempt to return an order, from the order afterwards. */
export const resultOfReturn = (order: Order): Effect.Effect<Order, OrderNotCompleted | SoldPetChanged> => {
  const { id: orderId, petId, status } = order
  if (status === orderReturn.status) return Effect.succeed(order)
  return status === "completed" ? new SoldPetChanged({ orderId, petId }) : new OrderNotCompleted({ orderId, status })
}

export const categoryColumns = "id, name"

export const categoryOfRow = (row: unknown): Category => {
  const [id, name] = row as [Category["id"], string]
  return { id, name }
}

/** Builds the inventory from rows of a status (`null` for none) and the number of pets with that status. */
export const inventoryOfRows = (rows: ReadonlyArray<unknown>): Inventory =>
  inventoryOf(
    rows.map((row) => {
      const [status, pets] = row as [PetStatus | null, bigint]
      return [status, Number(pets)]
    }),
  )

export const accountColumns = "id, name, created_at, disabled_at"

export const accountOfRow = (row: unknown): Account => {
  const [id, name, createdAt, disabledAt] = row as [Account["id"], string, bigint, bigint | null]
  return { id, name, createdAt: dateOf(createdAt), ...(disabledAt !== null && { disabledAt: dateOf(disabledAt) }) }
}

export const apiKeyColumns = "id, account_id, deployment, created_at, expires_at, revoked_at, last_used_on, label, read_only"

/** The values of `apiKeyColumns`. */
export const rowOfApiKey = (key: ApiKey) =>
  [
    key.id,
    key.accountId,
    key.deployment,
    key.createdAt.getTime(),
    millisOrNull(key.expiresAt),
    millisOrNull(key.revokedAt),
    Option.getOrNull(key.lastUsedOn),
    Option.getOrNull(key.label),
    Number(key.readOnly),
  ] as const

export const apiKeyOfRow = (row: unknown): ApiKey => {
  const [id, accountId, deployment, createdAt, expiresAt, revokedAt, lastUsedOn, label, readOnly] = row as [
    ApiKey["id"],
    ApiKey["accountId"],
    Deployment,
    bigint,
    bigint | null,
    bigint | null,
    string | null,
    string | null,
    bigint,
  ]
  return {
    id,
    accountId,
    deployment,
    createdAt: dateOf(createdAt),
    expiresAt: Option.map(Option.fromNullable(expiresAt), dateOf),
    revokedAt: Option.map(Option.fromNullable(revokedAt), dateOf),
    lastUsedOn: Option.fromNullable(lastUsedOn),
    label: Option.fromNullable(label),
    readOnly: readOnly !== 0n,
  }
}

export const deploymentOfRow = (row: unknown): Option.Option<Deployment> =>
  Option.fromNullable((row as readonly [Deployment | null] | undefined)?.[0])

export const deprecatedCallColumns = "key_id, operation, calls, last_called_at"

export const deprecatedCallsOfRow = (row: unknown): DeprecatedCalls => {
  const [keyId, operation, calls, lastCalledAt] = row as [DeprecatedCalls["keyId"], string, bigint, bigint]
  return { keyId, operation, calls: Number(calls), lastCalledAt: dateOf(lastCalledAt) }
}

export const webhookColumns = "id, settings, progress, disabled, holder, version"

export const webhookOfRow = (row: unknown): Webhook => {
  const [id, settings, progress, disabled, holder, version] = row as [
    string,
    string,
    string,
    Webhook["disabled"] | null,
    string | null,
    bigint,
  ]
  return {
    id,
    settings: JSON.parse(settings),
    progress: JSON.parse(progress),
    ...(disabled !== null && { disabled }),
    ...(holder !== null && { holder }),
    version: Number(version),
  }
}

export const webhookDeliveryColumns = "number, change_id, payload, tries, status, at, next_at"

export const webhookDeliveryOfRow = (row: unknown): WebhookDelivery => {
  const [number, changeId, payload, tries, status, at, nextAt] = row as [
    bigint,
    string,
    string,
    bigint,
    bigint,
    bigint,
    bigint | null,
  ]
  return {
    number: Number(number),
    changeId,
    payload,
    tries: Number(tries),
    status: Number(status),
    atMillis: Number(at),
    ...(nextAt !== null && { nextAtMillis: Number(nextAt) }),
  }
}

const dateOf = (millis: bigint): Date => new Date(Number(millis))

const millisOrNull = (timestamp: Option.Option<Date>): number | null =>
  Option.getOrNull(Option.map(timestamp, (date) => date.getTime()))
