/** What happened today, in numbers and by whom, and before. */
import type { Change } from "@petstore/client"
import { byOf } from "./by.ts"
import { History } from "./history.tsx"
import { named, sentence } from "./sentence.ts"
import type { State } from "./state.ts"

type Count = "sold" | "reserved" | "taken back" | "added" | "removed"

const counts: ReadonlyArray<Count> = ["sold", "reserved", "taken back", "added", "removed"]

/** The most sold animals that one person's line names. */
const mostSold = 20

type Operation = Change["operation"]

/** A reservation that was sold or cancelled, and a removal that was undone, on the same day do not count. A sale always does. */
const ended: Readonly<Partial<Record<Operation, ReadonlyArray<Operation>>>> = {
  createOrder: ["completeOrder", "cancelOrder"],
  removePet: ["restorePet"],
}

const names: Readonly<Partial<Record<Operation, Count>>> = {
  completeOrder: "sold",
  createOrder: "reserved",
  returnOrder: "taken back",
  createPet: "added",
  removePet: "removed",
}

/** What the changes of a day, newest first, count as. */
const countedOf = (today: ReadonlyArray<Change>) => {
  const later = new Set<string>()
  return today.flatMap((change) => {
    const { operation, before, after } = change
    const pet = after?.pet ?? before?.pet
    const id = (after?.order ?? before?.order)?.id ?? pet?.id
    const keyOf = (which: Operation): string => `${which} ${id}`
    later.add(keyOf(operation))
    const count = ended[operation]?.some((which) => later.has(keyOf(which))) ? undefined : names[operation]
    return count === undefined ? [] : [{ count, id, by: byOf(change), name: pet?.name, note: after?.order?.note ?? "" }]
  })
}

type Counted = ReturnType<typeof countedOf>

/** The animals that a person sold, newest first, for whom, and whether they were taken back. */
const Sold = ({ by, counted }: { readonly by: string; readonly counted: Counted }) => {
  const sold = counted.filter((one) => one.by === by && one.count === "sold")
  if (sold.length === 0) return null
  const returned = new Set(counted.filter(({ count }) => count === "taken back").map(({ id }) => id))
  const names = sold.slice(0, mostSold).map(({ id, name, note }, place) => {
    const words = [...(note === "" ? [] : [<bdi key="note">{note}</bdi>]), ...(returned.has(id) ? ["taken back"] : [])]
    const more = words.map((word, at) => sentence`${at === 0 ? " (" : ", "}${word}`)
    return sentence`${place === 0 ? "" : ", "}${named(name ?? "an animal")}${more}${words.length === 0 ? "" : ")"}`
  })
  return (
    <p data-sold>
      Sold: {names}
      {sold.length > mostSold && `, and ${sold.length - mostSold} more`}
    </p>
  )
}

/** Counts in words. A return of one of the counted sales stands beside the sales. */
const wordsOf = (counted: Counted): string => {
  const idsOf = (which: Count) => counted.filter(({ count }) => count === which).map(({ id }) => id)
  const sold = new Set(idsOf("sold"))
  const returned = idsOf("taken back")
  const ofThem = returned.filter((id) => sold.has(id)).length
  return counts
    .map((count) => [count, count === "taken back" ? returned.length - ofThem : idsOf(count).length] as const)
    .filter(([, number]) => number > 0)
    .map(([count, number]) => `${number} ${count}${count === "sold" && ofThem > 0 ? `, ${ofThem} of them taken back` : ""}`)
    .join(", ")
}

export const Today = ({ state: { today, me } }: { readonly state: State }) => {
  const counted = countedOf(today)
  const people = [...new Set(counted.map(({ by }) => by))].sort()
  return (
    <section class="beside" id="today" tabIndex={-1} aria-labelledby="today-title">
      <h2 id="today-title">Today</h2>
      <p data-today>{wordsOf(counted) || "Nothing yet."}</p>
      <ul class="people" data-people>
        {people.map((by) => (
          <li key={by}>
            <bdi>{by}</bdi>: {wordsOf(counted.filter((one) => one.by === by))}
            <Sold by={by} counted={counted} />
          </li>
        ))}
      </ul>
      <h3>What happened</h3>
      <History version={today[0]?.id} isReadOnly={me?.key.readOnly === true} />
    </section>
  )
}
