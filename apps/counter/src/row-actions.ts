import type { Order, Pet } from "@petstore/client"
import { report } from "./activity.ts"
import { confirmed } from "./confirm.ts"
import { openEdit } from "./edit-pet.ts"
import { hasCode, isUnavailable, sentenceOf } from "./failure.ts"
import type { Session } from "./session.ts"
import type { Action } from "./table.ts"
import { changeOnce, createOnce } from "./until-known.ts"
import type { Row } from "./view.ts"

/** Returns the sentence to report, or `undefined` if there is nothing to report, such as after the user declined. */
type RowAction = (session: Session, row: Row) => Promise<string | undefined>

const placeOrder = async ({ petstore, signal }: Session, { id, name }: Pet): Promise<Order> => {
  const { value } = await createOnce(
    (options) => petstore.orders.create({ petId: id }, options),
    () => report(`It is not known yet whether ${name} is reserved. This page keeps trying.`),
    signal,
  )
  return value
}

const reserve: RowAction = async (session, { pet }) => {
  const order = await placeOrder(session, pet)
  return `Reserved ${pet.name} with order ${order.id}.`
}

/** Asks for confirmation, then places an order and completes it. If completing fails, the pet stays reserved. */
const sell: RowAction = async (session, { pet }) => {
  const { name } = pet
  if (!(await confirmed(`Sell ${name}, animal ${pet.id}? This cannot be undone.`, "Sell", session.signal))) return undefined
  const { id } = await placeOrder(session, pet)
  try {
    await session.petstore.orders.complete(id, { signal: session.signal })
    return `Sold ${name} with order ${id}.`
  } catch (thrown) {
    const sold = isUnavailable(thrown) ? "the outcome of the sale is not known yet" : "has not been sold"
    throw new Error(`${name} is reserved with order ${id}, but ${sold}: ${sentenceOf(thrown)}`, { cause: thrown })
  }
}

/** Asks for confirmation, then completes the order that holds the pet. */
const complete: RowAction = async ({ petstore, signal }, { pet: { name }, order }) => {
  const question = `Complete the order for ${name}? This cannot be undone.`
  if (order === undefined || !(await confirmed(question, "Complete", signal))) return undefined
  await petstore.orders.complete(order.id, { signal })
  return `Completed order ${order.id} for ${name}.`
}

const cancel: RowAction = async ({ petstore, signal }, { pet: { name }, order }) => {
  if (order === undefined) return undefined
  await petstore.orders.cancel(order.id, { signal })
  return `Cancelled order ${order.id} for ${name}.`
}

/** Asks for confirmation, then removes the pet if it has not changed. */
const remove: RowAction = async ({ petstore, signal }, { pet: { id } }) => {
  const { value, etag } = await petstore.getPet(id, { signal })
  const { name } = value
  if (!(await confirmed(`Remove ${name}, animal ${id}, for good? This cannot be undone.`, "Remove", signal))) return undefined
  const options = { signal, ifMatch: etag }
  await changeOnce(
    () => petstore.removePet(id, options),
    async (refusal) => hasCode(refusal, "pet_not_found"),
    () => report(`It is not known yet whether ${name} was removed. This page keeps trying.`),
    signal,
  )
  return `Removed ${name}, animal ${id}.`
}

export const rowActions: Readonly<Record<Action, RowAction>> = { reserve, sell, complete, cancel, remove, edit: openEdit }
