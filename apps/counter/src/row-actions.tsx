/** What a row's buttons do. */
import type { Order, Pet } from "@petstore/client"
import type { ComponentChildren } from "preact"
import { hasCode, isUnavailable, sentenceOf } from "./failure.ts"
import { Name } from "./name.tsx"
import { refresh } from "./refresh.ts"
import { confirmed, report, sessionNow, untold, whileBusy } from "./report.ts"
import type { Row } from "./rows.ts"
import { isRefused } from "./session.ts"
import { now, type Session, update } from "./state.ts"
import { changeOnce, createOnce } from "./until-known.ts"

export type Action = "sell" | "reserve" | "complete" | "cancel" | "edit" | "remove"

/** Returns a row's actions: only those that the service would not refuse. */
export const actionsOf = ({ pet, order }: Row): ReadonlyArray<Action> => {
  if (order !== undefined) return ["complete", "edit", "cancel"]
  return pet.status === "available" ? ["sell", "reserve", "edit", "remove"] : ["edit", "remove"]
}

export interface Done {
  readonly content: ComponentChildren
  readonly undo?: (() => Promise<void>) | undefined
}

/** Returns what to report, or `undefined` if there is nothing to report, such as after the user declined. */
type RowAction = (session: Session, row: Row) => Promise<Done | undefined>

/** A failure in the words of an action, with the failure of the request as its cause. */
class Explained extends Error {
  readonly content: ComponentChildren
  constructor(content: ComponentChildren, cause: unknown) {
    super("", { cause })
    this.content = content
  }
}

const placeOrder = async ({ petstore, signal }: Session, { id, name }: Pet): Promise<Order> =>
  untold(
    <>
      <Name of={name} /> is reserved
    </>,
    async (isUnknown) => {
      const { value } = await createOnce((options) => petstore.orders.create({ petId: id }, options), isUnknown, signal)
      return value
    },
  )

const reserve: RowAction = async (session, { pet }) => {
  const order = await placeOrder(session, pet)
  const content = (
    <>
      Reserved <Name of={pet.name} /> with order {order.id}.
    </>
  )
  return { content, undo: () => perform(pet, (now) => cancelOrder(now, pet, order)) }
}

/** Asks for confirmation, then places an order and completes it. If completing fails, the pet stays reserved. */
const sell: RowAction = async (session, { pet }) => {
  const name = <Name of={pet.name} />
  const question = (
    <>
      Sell {name}, animal {pet.id}?
    </>
  )
  if (!(await confirmed(question, "Sell", session.signal))) return undefined
  const { id } = await placeOrder(session, pet)
  try {
    await session.petstore.orders.complete(id, { signal: session.signal })
  } catch (thrown) {
    const sold = isUnavailable(thrown) ? "the outcome of the sale is not known yet" : "has not been sold"
    const content = (
      <>
        {name} is reserved with order {id}, but {sold}: {sentenceOf(thrown)}
      </>
    )
    throw new Explained(content, thrown)
  }
  const content = (
    <>
      Sold {name} with order {id}.
    </>
  )
  return { content }
}

/** Asks for confirmation, then completes the order that holds the pet. */
const complete: RowAction = async ({ petstore, signal }, { pet, order }) => {
  const name = <Name of={pet.name} />
  const question = (
    <>
      Complete the order for {name}, animal {pet.id}?
    </>
  )
  if (order === undefined || !(await confirmed(question, "Complete", signal))) return undefined
  await petstore.orders.complete(order.id, { signal })
  const content = (
    <>
      Completed order {order.id} for {name}.
    </>
  )
  return { content }
}

const cancelOrder = async ({ petstore, signal }: Session, { name }: Pet, { id }: Order): Promise<Done> => {
  await petstore.orders.cancel(id, { signal })
  return {
    content: (
      <>
        Cancelled order {id} for <Name of={name} />.
      </>
    ),
  }
}

/** Asks for confirmation, then cancels the order that holds the pet. */
const cancel: RowAction = async (session, { pet, order }) => {
  const question = (
    <>
      Cancel order {order?.id} for <Name of={pet.name} />, animal {pet.id}?
    </>
  )
  if (order === undefined || !(await confirmed(question, "Cancel the order", session.signal))) return undefined
  return cancelOrder(session, pet, order)
}

/** Asks for confirmation, then removes the pet if it has not changed. */
const remove: RowAction = async ({ petstore, signal }, { pet: { id } }) => {
  const { value, etag } = await petstore.getPet(id, { signal })
  const name = <Name of={value.name} />
  const question = (
    <>
      Remove {name}, animal {id}?
    </>
  )
  if (!(await confirmed(question, "Remove", signal))) return undefined
  const options = { signal, ifMatch: etag }
  await untold(<>{name} was removed</>, (isUnknown) =>
    changeOnce(
      () => petstore.removePet(id, options),
      async (refusal) => hasCode(refusal, "pet_not_found"),
      isUnknown,
      signal,
    ),
  )
  const content = (
    <>
      Removed {name}, animal {id}.
    </>
  )
  return { content }
}

/** Opens the form with the pet as it is now, unless the user has opened another dialog in the meantime. */
const edit: RowAction = async ({ petstore, signal }, { pet, order }) => {
  const result = await petstore.getPet(pet.id, { signal })
  if (now().dialog === undefined && now().questions.length === 0) update({ dialog: "edit", editing: { result, pet, order } })
  return undefined
}

const rowActions: Readonly<Record<Action, RowAction>> = { reserve, sell, complete, cancel, remove, edit }

/** Makes a change to a pet, unless another one is being made, and reports what it did. */
export const perform = async ({ id, name }: Pet, change: (session: Session) => Promise<Done | undefined>): Promise<void> => {
  const session = sessionNow()
  await whileBusy(id, async () => {
    try {
      const done = await change(session)
      if (done !== undefined) report(done.content, done)
    } catch (thrown) {
      if (session.signal.aborted) return
      const isExplained = thrown instanceof Explained
      const content = (
        <>
          <Name of={name} />: {sentenceOf(thrown)}
        </>
      )
      report(isExplained ? thrown.content : content, { kind: "failed" })
      isRefused(isExplained ? thrown.cause : thrown)
    }
    await refresh()
  })
}

/** Runs an action of a row. */
export const run = (action: Action, row: Row): Promise<void> => perform(row.pet, (session) => rowActions[action](session, row))
