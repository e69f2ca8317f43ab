/** What happened today, in numbers and by whom, and before. */
import type { Change } from "@petstore/client"
import { byOf } from "./by.ts"
import { History } from "./history.tsx"
import type { State } from "./state.ts"

type Count = "sold" | "reserved" | "taken back" | "added" | "removed"

const counts: ReadonlyArray<Count> = ["sold", "reserved", "taken back", "added", "removed"]

/** What a change counts as. A reservation that was sold on the same day is a sale. */
const countOf = ({ operation, after }: Change, sold: ReadonlySet<bigint | undefined>): Count | undefined => {
  switch (operation) {
    case "completeOrder":
      return "sold"
    case "createOrder":
      return sold.has(after?.order?.id) ? undefined : "reserved"
    case "returnOrder":
      return "taken back"
    case "createPet":
      return "added"
    case "removePet":
      return "removed"
    default:
      return undefined
  }
}

export const Today = ({ state: { today, me } }: { readonly state: State }) => {
  const sold = new Set(today.filter(({ operation }) => operation === "completeOrder").map(({ after }) => after?.order?.id))
  const counted = today.flatMap((change) => {
    const count = countOf(change, sold)
    return count === undefined ? [] : [{ count, by: byOf(change) }]
  })
  const people = [...new Set(counted.map(({ by }) => by))].sort()
  const numberOf = (count: Count, by?: string): number =>
    counted.filter((one) => one.count === count && (by === undefined || one.by === by)).length
  const used = counts.filter((count) => numberOf(count) > 0)
  return (
    <section class="beside" id="today" tabIndex={-1} aria-labelledby="today-title">
      <h2 id="today-title">Today</h2>
      <p data-today>{used.length === 0 ? "Nothing yet." : used.map((count) => `${numberOf(count)} ${count}`).join(", ")}</p>
      <ul class="people" data-people>
        {people.map((by) => (
          <li key={by}>
            <bdi>{by}</bdi>:{" "}
            {used
              .filter((count) => numberOf(count, by) > 0)
              .map((count) => `${numberOf(count, by)} ${count}`)
              .join(", ")}
          </li>
        ))}
      </ul>
      <h3>What happened</h3>
      <History version={today[0]?.id} isReadOnly={me?.key.readOnly === true} />
    </section>
  )
}
