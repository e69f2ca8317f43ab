/** What the list and the page of one animal show of a row. */
import type { Order } from "@petstore/client"
import { byOf } from "./by.ts"
import type { Line } from "./lines.ts"
import { type Action, actionsOf, run } from "./row-actions.ts"
import { now } from "./state.ts"
import { statusWord } from "./status.ts"

const actionTitles: Readonly<Record<Action, string>> = {
  sell: "Sell",
  complete: "Sell",
  reserve: "Reserve",
  note: "Note",
  return: "Take back",
  edit: "Edit",
  remove: "Remove",
  restore: "Bring back",
  cancel: "Cancel",
}

/** The state to show. A pending pet counts as reserved only if an order holds it: staff can edit other pending pets. */
const stateOf = ({ pet: { status }, order, isRemoved }: Line) =>
  isRemoved ? "removed" : order === undefined ? (status ?? "none") : "reserved"

/** The word for the state of a line. */
export const statusOf = (line: Line): string => {
  const state = stateOf(line)
  return state === "none" || state === line.pet.status ? statusWord(line.pet.status) : state
}

export const Status = ({ line }: { readonly line: Line }) => <span class={`status-${stateOf(line)}`}>{statusOf(line)}</span>

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" })

export const Time = ({ at }: { readonly at: Date }) => <time dateTime={at.toISOString()}>{moment.format(at)}</time>

export const Note = ({ order: { note } }: { readonly order: Order }) =>
  note === undefined || note === "" ? null : (
    <bdi class="order-note" data-note title={note}>
      {note}
    </bdi>
  )

/** Who reserved a pet, if it was today. */
const reserverOf = ({ id }: Order): string => {
  const made = now().today.find(({ operation, after }) => operation === "createOrder" && after?.order?.id === id)
  return made === undefined ? "" : byOf(made)
}

/** For whom a pet is reserved or, without a note, by whom, in one line. */
export const Reserver = ({ order }: { readonly order: Order }) => {
  const by = reserverOf(order)
  return (
    <span class="reserver" title={by}>
      {(order.note ?? "") === "" ? <bdi>{by}</bdi> : <Note order={order} />}
    </span>
  )
}

/** When, by whom and for whom a pet is reserved. */
export const Reserved = ({ order }: { readonly order: Order }) => {
  const by = reserverOf(order)
  return (
    <>
      <span>
        <Time at={order.createdAt} />
        {by === "" ? "" : ", "}
        <bdi>{by}</bdi>
      </span>
      <Note order={order} />
    </>
  )
}

/** The buttons of a line. Each stands in its own column, whatever the others are, so none takes the place of another. */
export const Actions = ({ line, isWaiting }: { readonly line: Line; readonly isWaiting: boolean }) => {
  const { pet } = line
  return (
    <div class="actions">
      {actionsOf(line).map((action) => {
        return (
          <button
            key={action}
            class="secondary"
            type="button"
            aria-disabled={isWaiting}
            aria-label={`${actionTitles[action]} ${pet.name}, ${pet.id}`}
            data-action={action}
            data-id={pet.id}
            onClick={() => void run(action, line)}
          >
            {actionTitles[action]}
          </button>
        )
      })}
    </div>
  )
}
