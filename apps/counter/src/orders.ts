/** The order actions of a table row: reserve a pet, sell a pet, and complete or cancel an order. */
import type { Order, Pet } from "@petstore/client"
import { report } from "./activity.ts"
import { confirmed } from "./confirm.ts"
import { isUnavailable, sentenceOf } from "./failure.ts"
import type { Session } from "./session.ts"
import { createOnce } from "./until-known.ts"

const placeOrder = ({ petstore, signal }: Session, { id, name }: Pet): Promise<Order> =>
  createOnce(
    (options) => petstore.orders.create({ petId: id }, options),
    () => report(`It is not known yet whether ${name} is reserved. This page keeps trying.`),
    signal,
  )

export const reserve = async (session: Session, pet: Pet): Promise<string> => {
  const order = await placeOrder(session, pet)
  return `Reserved ${pet.name} with order ${order.id}.`
}

/** Asks for confirmation, then places an order and completes it. If completing fails, the pet stays reserved. */
export const sell = async (session: Session, pet: Pet): Promise<string | undefined> => {
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

/** Completes or cancels the order that holds a pet. Asks for confirmation before completing. */
export const endOrder = async (
  { petstore, signal }: Session,
  { name }: Pet,
  { id }: Order,
  end: "complete" | "cancel",
): Promise<string | undefined> => {
  const isSale = end === "complete"
  if (isSale && !(await confirmed(`Complete the order for ${name}? This cannot be undone.`, "Complete", signal))) return undefined
  await petstore.orders[end](id, { signal })
  return `${isSale ? "Completed" : "Cancelled"} order ${id} for ${name}.`
}
