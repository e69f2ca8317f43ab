/** Checks whether a store's pets have the statuses that its orders imply (specification 4.5), without the service or its code. */
import { DatabaseSync } from "node:sqlite"

/** A store's content, with exact identifiers. */
export interface OrdersOfStore {
  /** Every pet. A pet that was never ordered should still have its original status, which only the caller has. */
  readonly pets: ReadonlyArray<{ readonly id: bigint; readonly status?: string | undefined }>
  readonly orders: ReadonlyArray<Order>
}

interface Order {
  readonly id: bigint
  readonly petId: bigint
  readonly status: string
  /** As the store shows it, like `updatedAt`. The two are only compared with each other. */
  readonly createdAt: unknown
  readonly updatedAt: unknown
}

/** An order with the last status that a response showed. */
type AcknowledgedOrder = Pick<Order, "id" | "petId" | "status">

/** Whether no request has corrected the pet's status or removed the pet, so that only its orders determine its status. */
export type IsLeftToOrders = (petId: bigint) => boolean

/**
 * Describes duplicates: a pet that two orders hold, or two orders with the same identifier. Also describes impossible orders, and
 * pets whose status contradicts their orders. Returns an empty list for a correct store.
 */
export const contradictions = (
  { pets, orders }: OrdersOfStore,
  isLeftToOrders: IsLeftToOrders = () => true,
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const ofPet = Map.groupBy(orders, ({ petId }) => petId)
  const known = new Set(pets.map(({ id }) => id))
  for (const { id, petId, status, createdAt, updatedAt } of orders) {
    if (!known.has(petId) && (status === "placed" || isLeftToOrders(petId)))
      found.push(`order ${id} is for pet ${petId}, which does not exist`)
    if (!["placed", "completed", "cancelled", "returned"].includes(status)) found.push(`order ${id} is ${status}`)
    if (status === "placed" && updatedAt !== createdAt) found.push(`order ${id} is placed but was updated`)
  }
  for (const { id, status } of pets) {
    const statuses = (ofPet.get(id) ?? []).map((order) => order.status)
    // After a correction of the status, a completed order no longer holds the pet, and only a placed one determines the status.
    const isLeft = isLeftToOrders(id)
    const holding = statuses.filter((one) => (isLeft ? one !== "cancelled" && one !== "returned" : one === "placed"))
    if (holding.length > 1) found.push(`pet ${id} is held by ${holding.length} orders: ${holding.join(", ")}`)
    const isDetermined = isLeft ? statuses.length > 0 : holding.length > 0
    const expected = holding.includes("completed") ? "sold" : holding.includes("placed") ? "pending" : "available"
    if (isDetermined && status !== expected)
      found.push(`pet ${id} is ${status ?? "without a status"}, but its orders say ${expected}: ${statuses.join(", ")}`)
  }
  if (new Set(orders.map(({ id }) => id)).size !== orders.length) found.push("two orders have the same identifier")
  return found
}

/** Describes the acknowledged facts that no longer hold. */
export const lostOrders = ({ orders }: OrdersOfStore, acknowledged: ReadonlyArray<AcknowledgedOrder>): ReadonlyArray<string> => {
  const kept = new Map(orders.map((order) => [order.id, order]))
  return acknowledged.flatMap((order) => lossOf(order, kept.get(order.id)) ?? [])
}

/** How an acknowledged order has changed, if it has. A placed order may have been closed by an unanswered request. */
const lossOf = ({ id, petId, status }: AcknowledgedOrder, kept: AcknowledgedOrder | undefined): string | undefined => {
  if (kept === undefined) return `order ${id} was acknowledged but no longer exists`
  if (kept.petId !== petId) return `order ${id} was for pet ${petId} and is now for pet ${kept.petId}`
  return status === "placed" || kept.status === status ? undefined : `order ${id} was ${status} and is now ${kept.status}`
}

/** Reads a store's file, even while other processes have it open. Fails if SQLite finds the file damaged. */
export const readSqliteOrders = (path: string): OrdersOfStore => {
  using file = new DatabaseSync(path, { timeout: 5000 })
  const rows = (sql: string): ReadonlyArray<Record<string, unknown>> => {
    const statement = file.prepare(sql)
    statement.setReadBigInts(true)
    return statement.all()
  }
  // In one transaction, so that pets and orders come from the same snapshot.
  file.exec("BEGIN")
  const integrity = rows("PRAGMA integrity_check").flatMap(Object.values)
  if (integrity.join() !== "ok") throw new Error(`the file is damaged: ${integrity.join("; ")}`)
  const columns = `id, pet_id AS petId, status, created_at AS createdAt, updated_at AS updatedAt`
  // Safe: these are the columns, in STRICT tables.
  const pets = rows("SELECT id, status FROM pets ORDER BY id") as ReadonlyArray<{
    readonly id: bigint
    readonly status: string | null
  }>
  const orders = rows(`SELECT ${columns} FROM orders`) as unknown as ReadonlyArray<Order>
  file.exec("COMMIT")
  return { pets: pets.map(({ id, status }) => ({ id, status: status ?? undefined })), orders }
}
