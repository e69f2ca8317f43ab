/** What a button of a line does: reserve an animal, sell it, complete or cancel its order. */
import { type Client, isPetstoreError, type Order } from "@petstore/client"
import { report } from "./activity.ts"
import { confirmed } from "./confirm.ts"
import { sentenceOf } from "./failure.ts"
import type { Action } from "./table.ts"
import { createOnce, unknownCodes } from "./until-known.ts"

/** What a button acts on: an animal or an order, by its identifier, and the name of the animal. */
export interface Target {
  readonly id: bigint
  readonly name: string
}

const placeOrder = (petstore: Client, { id, name }: Target, signal: AbortSignal): Promise<Order> =>
  createOnce(
    (options) => petstore.orders.create({ petId: id }, options),
    () => report(`It is not known yet whether ${name} is reserved. This page asks again.`),
    signal,
  )

/** Places an order and completes it. If the second fails, the animal stays reserved. */
const sell = async (petstore: Client, target: Target, signal: AbortSignal): Promise<string> => {
  const { id } = await placeOrder(petstore, target, signal)
  try {
    await petstore.orders.complete(id, { signal })
    return `Sold ${target.name} with order ${id}.`
  } catch (thrown) {
    const isUnknown = isPetstoreError(thrown) && unknownCodes.has(thrown.code)
    const sold = isUnknown ? "it is not known yet whether it is sold" : "it is not sold"
    throw new Error(`${target.name} is reserved with order ${id}, and ${sold}: ${sentenceOf(thrown)}`, { cause: thrown })
  }
}

/** Does one action. Returns the sentence that tells it, or `undefined` if the person did not agree. */
export const act = async (petstore: Client, action: Action, target: Target, signal: AbortSignal): Promise<string | undefined> => {
  const { id, name } = target
  if (action === "reserve") {
    const order = await placeOrder(petstore, target, signal)
    return `Reserved ${name} with order ${order.id}.`
  }
  if (action === "sell") {
    return (await confirmed(`Sell ${name}? This cannot be undone.`, "Sell")) ? sell(petstore, target, signal) : undefined
  }
  if (action === "complete" && !(await confirmed(`Complete the order of ${name}? This cannot be undone.`, "Complete")))
    return undefined
  await petstore.orders[action](id, { signal })
  return `${action === "complete" ? "Completed" : "Cancelled"} order ${id} of ${name}.`
}
