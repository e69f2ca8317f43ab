/** What happened: of one animal or of the store, newest first. */
import type { Change, ChangeQuery, Client, Pet } from "@petstore/client"
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { byOf } from "./by.ts"
import { categoryName } from "./category-names.tsx"
import { sentenceOf } from "./failure.ts"
import { sessionNow } from "./report.ts"
import { Time } from "./row.tsx"
import { undoOf, undoTogether } from "./row-actions.ts"
import { animals, named, sentence } from "./sentence.ts"
import { isRefused } from "./session.ts"
import { now } from "./state.ts"
import { statusWord } from "./status.ts"
import { isTogether } from "./together.ts"

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
  const note = order?.note ?? (operation === "changeOrder" ? "no note" : "")
  const noted = note === "" ? "" : sentence`: ${named(note)}`
  const pet = is ?? was
  const id = pet?.id ?? order?.petId
  const name = pet?.name ?? (id === undefined ? undefined : nameOf(id))
  const what = name === undefined ? `animal ${id}` : sentence`${named(name)}, animal ${id}`
  const how = operation === "correctPet" && was !== undefined && is !== undefined ? corrected(was, is) : noted
  return sentence`${verb} ${what}${how}`
}

/** The most names of many animals that one line has. */
const mostNames = 3

/** What the changes of one act of a person did. */
const happenedTogether = (changes: ReadonlyArray<Change>, nameOf: (petId: bigint) => string | undefined): ComponentChildren => {
  const [newest] = changes
  if (newest === undefined) return ""
  if (changes.length === 1) return happened(newest, nameOf)
  const names = changes.flatMap(({ before, after }) => (after?.pet ?? before?.pet)?.name ?? []).toReversed()
  const first = names.slice(0, mostNames).map((name, place) => sentence`${place === 0 ? "" : ", "}${named(name)}`)
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ""
  return sentence`${verbs[newest.operation]} ${animals(changes.length)}: ${first}${more}`
}

/** Joins what one act of a person did, by the operation. The order of a sale belongs to the sale. */
const joined = (changes: ReadonlyArray<Change>): ReadonlyArray<ReadonlyArray<Change>> => {
  const sales = new Set(changes.filter(({ operation }) => operation === "completeOrder").map(({ requestId }) => requestId))
  const acts = new Map<string, Array<Change>>()
  for (const change of changes) {
    const { id, operation, requestId } = change
    const isJoined = isTogether(requestId)
    if (isJoined && operation === "createOrder" && sales.has(requestId)) continue
    const name = isJoined ? `${operation} ${requestId}` : id
    acts.set(name, [...(acts.get(name) ?? []), change])
  }
  return [...acts.values()]
}

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
      const found = [...before]
      let more: ChangeQuery | undefined = query
      const fewest = joined(before).length + pageLimit / 2
      // A line that stands for many changes needs all of them, and leaves room for others.
      do {
        const { value }: Awaited<ReturnType<Client["listChanges"]>> = await sessionNow().petstore.listChanges(more, { signal })
        found.push(...value.items)
        more = value.next
      } while (more !== undefined && (isTogether(found.at(-1)?.requestId) || joined(found).length < fewest))
      setItems(found)
      setNext(more)
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
  const seen = new Set<bigint>()
  return (
    <>
      <ol class="history" data-history>
        {joined(items).flatMap((changes) => {
          const [change] = changes
          if (change === undefined) return []
          const ids = changes.flatMap(({ before, after }) => (after?.pet ?? before?.pet)?.id ?? [])
          const isLast = ids.some((id) => !seen.has(id))
          for (const id of ids) seen.add(id)
          const undo = !isLast || isReadOnly ? undefined : changes.length === 1 ? undoOf(change) : undoTogether(changes)
          return (
            <li key={change.id} tabIndex={-1}>
              <p>{happenedTogether(changes, nameOf)}</p>
              <p class="note">
                <Time at={change.at} />, <bdi>{byOf(change)}</bdi>
                {undo !== undefined && (
                  <button
                    class="link"
                    type="button"
                    onClick={({ currentTarget }) => {
                      // The line stays, its button does not.
                      currentTarget.closest("li")?.focus({ preventScroll: true })
                      void undo()
                    }}
                  >
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
