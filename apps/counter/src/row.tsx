/** What the list and the page of one animal show of a row. */
import type { Order } from "@petstore/client"

import type { Line } from "./lines.ts"
import { type Action, actionsOf, run } from "./row-actions.ts"

const actionTitles: Readonly<Record<Action, string>> = {
  sell: "Sell",
  complete: "Complete",
  reserve: "Reserve",
  note: "Note",
  return: "Return",
  edit: "Edit",
  remove: "Remove",
  restore: "Bring back",
  cancel: "Cancel",
}

/** The status to show. A pending pet counts as reserved only if an order holds it: staff can edit other pending pets. */
export const statusOf = ({ pet: { status }, order, isRemoved }: Line): string => {
  if (isRemoved) return "removed"
  return order === undefined ? (status ?? "none") : "reserved"
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" })

export const Time = ({ at }: { readonly at: Date }) => <time dateTime={at.toISOString()}>{moment.format(at)}</time>

export const Note = ({ order: { note } }: { readonly order: Order }) =>
  note === undefined || note === "" ? null : (
    <bdi class="order-note" data-note title={note}>
      {note}
    </bdi>
  )

/** When and for whom a pet is reserved. */
export const Reserved = ({ order }: { readonly order: Order }) => (
  <>
    <Time at={order.createdAt} />
    <Note order={order} />
  </>
)

/** The buttons of a line. Each stands in its own column, whatever the others are, so none takes the place of another. */
export const Actions = ({ line, isWaiting }: { readonly line: Line; readonly isWaiting: boolean }) => {
  const { pet, order } = line
  return (
    <div class="actions">
      {actionsOf(line).map((action) => {
        const isOfOrder = action === "complete" || action === "cancel" || action === "note"
        return (
          <button
            key={action}
            class="secondary"
            type="button"
            aria-disabled={isWaiting}
            aria-label={`${actionTitles[action]} ${isOfOrder ? `order ${order?.id}, ${pet.name}` : `${pet.name}, ${pet.id}`}`}
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
