/** What happened today, in numbers and by whom, and before. */
import type { Change } from "@petstore/client"
import { byOf } from "./by.ts"
import { History } from "./history.tsx"
import type { State } from "./state.ts"

type Count = "sold" | "reserved" | "taken back" | "added" | "removed"

const counts: ReadonlyArray<Count> = ["sold", "reserved", "taken back", "added", "removed"]

type Operation = Change["operation"]

const ended: Readonly<Partial<Record<Operation, Operation>>> = {
  completeOrder: "returnOrder",
  createOrder: "completeOrder",
  removePet: "restorePet",
}

const names: Readonly<Partial<Record<Operation, Count>>> = {
  completeOrder: "sold",
  createOrder: "reserved",
  returnOrder: "taken back",
  createPet: "added",
  removePet: "removed",
}

/** What the changes of a day count as, newest first. A sale that was taken back on the same day does not count, and so on. */
const countedOf = (today: ReadonlyArray<Change>) => {
  const later = new Set<string>()
  return today.flatMap((change) => {
    const { operation, before, after } = change
    const keyOf = (which: Operation | undefined): string => `${which} ${after?.order?.id ?? (after?.pet ?? before?.pet)?.id}`
    later.add(keyOf(operation))
    const count = later.has(keyOf(ended[operation])) ? undefined : names[operation]
    return count === undefined ? [] : [{ count, by: byOf(change) }]
  })
}

export const Today = ({ state: { today, me } }: { readonly state: State }) => {
  const counted = countedOf(today)
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
