/** What happened: of one animal or of the store, newest first. */
import type { Change, ChangeQuery, Pet } from "@petstore/client"
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { byOf } from "./by.ts"
import { categoryName } from "./category-names.tsx"
import { sentenceOf } from "./failure.ts"
import { sessionNow } from "./report.ts"
import { Time } from "./row.tsx"
import { undoOf } from "./row-actions.ts"
import { named, sentence } from "./sentence.ts"
import { isRefused } from "./session.ts"
import { now } from "./state.ts"
import { statusWord } from "./status.ts"

const pageLimit = 20

const arrow = (before: string, after: string): ComponentChildren => sentence`${named(before)} → ${named(after)}`

/** What a correction changed. */
const corrected = (before: Pet, after: Pet): ComponentChildren => {
  const parts: ReadonlyArray<readonly [title: string, before: string, after: string]> = [
    ["name", before.name, after.name],
    ["category", categoryName(before.categoryId), categoryName(after.categoryId)],
    ["status", statusWord(before.status), statusWord(after.status)],
  ]
  return parts
    .filter(([, was, is]) => was !== is)
    .map(([title, was, is], place) => sentence`${place === 0 ? ":" : ","} ${title} ${arrow(was, is)}`)
}

const verbs = {
  createPet: "Added",
  correctPet: "Edited",
  removePet: "Removed",
  restorePet: "Brought back",
  createOrder: "Reserved",
  completeOrder: "Sold",
  cancelOrder: "Cancelled the reservation of",
  returnOrder: "Took back",
  changeOrder: "Changed the note for",
  replaceCategory: "Named category",
  removeCategory: "Removed the name of category",
} as const

/** What a change did, with what was before. */
const happened = ({ operation, before, after }: Change, nameOf: (petId: bigint) => string | undefined): ComponentChildren => {
  const verb = verbs[operation]
  const category = after?.category ?? before?.category
  if (category !== undefined) {
    const was = before?.category
    const name = was === undefined || after === undefined ? named(category.name) : arrow(was.name, category.name)
    return sentence`${verb} ${category.id}: ${name}`
  }
  const [was, is] = [before?.pet, after?.pet]
  const order = after?.order ?? before?.order
  const noted = operation === "changeOrder" ? sentence`: ${named(order?.note ?? "no note")}` : ""
  const pet = is ?? was
  const id = pet?.id ?? order?.petId
  const name = pet?.name ?? (id === undefined ? undefined : nameOf(id))
  const what = name === undefined ? `animal ${id}` : sentence`${named(name)}, animal ${id}`
  const how = operation === "correctPet" && was !== undefined && is !== undefined ? corrected(was, is) : noted
  return sentence`${verb} ${what}${how}`
}

/** How soon a sale completes the order that it creates, in ms. */
const saleMillis = 5_000

/** Whether a change created the order of a sale, which is one event to a person although it is two changes. */
const isOfSale = (change: Change, changes: ReadonlyArray<Change>): boolean =>
  change.operation === "createOrder" &&
  changes.some(
    ({ operation, after, by, at }) =>
      operation === "completeOrder" &&
      after?.order?.id === change.after?.order?.id &&
      at.getTime() - change.at.getTime() <= saleMillis &&
      by !== undefined &&
      change.by !== undefined &&
      "key" in by &&
      "key" in change.by &&
      by.key.id === change.by.key.id,
  )

interface Props {
  /** Only this pet's history. */
  readonly petId?: bigint
  /** Another value reads the history anew. */
  readonly version: string | undefined
  readonly isReadOnly: boolean
}

export const History = ({ petId, version, isReadOnly }: Props) => {
  const [items, setItems] = useState<ReadonlyArray<Change>>([])
  const [next, setNext] = useState<ChangeQuery | undefined>(undefined)
  const [problem, setProblem] = useState("")
  const read = async (query: ChangeQuery, before: ReadonlyArray<Change>, signal: AbortSignal): Promise<void> => {
    try {
      const { value } = await sessionNow().petstore.listChanges(query, { signal })
      setItems([...before, ...value.items])
      setNext(value.next)
      setProblem("")
    } catch (thrown) {
      if (!signal.aborted && !isRefused(thrown)) setProblem(sentenceOf(thrown))
    }
  }
  useEffect(() => {
    const reading = new AbortController()
    void read({ order: "desc", limit: pageLimit, petId }, [], AbortSignal.any([reading.signal, sessionNow().signal]))
    return () => reading.abort()
  }, [petId, version])
  const nameOf = (petId: bigint): string | undefined =>
    items.map(({ before, after }) => after?.pet ?? before?.pet).find((pet) => pet?.id === petId)?.name ??
    now().lines.lines.find(({ pet }) => pet.id === petId)?.pet.name
  const seen = new Set<bigint | undefined>()
  return (
    <>
      <ol class="history" data-history>
        {items
          .filter((change) => !isOfSale(change, items))
          .map((change) => {
            const id = (change.after?.pet ?? change.before?.pet)?.id
            const isLast = id !== undefined && !seen.has(id)
            seen.add(id)
            const undo = isLast && !isReadOnly ? undoOf(change) : undefined
            return (
              <li key={change.id}>
                <p>{happened(change, nameOf)}</p>
                <p class="note">
                  <Time at={change.at} />, <bdi>{byOf(change)}</bdi>
                  {undo !== undefined && (
                    <button class="link" type="button" onClick={() => void undo()}>
                      Undo
                    </button>
                  )}
                </p>
              </li>
            )
          })}
      </ol>
      {problem !== "" && <p class="problem">{problem}</p>}
      {next !== undefined && (
        <button class="secondary" type="button" onClick={() => void read(next, items, sessionNow().signal)}>
          Show earlier
        </button>
      )}
    </>
  )
}
