/**
 * Writes the changes of a transaction at its end, with few statements, because running a statement takes longer than inserting a
 * row. Until then, the row of `change_source` says that they are the store's own, so that the triggers for SQL by hand stay quiet.
 */
import { type Actor, type ChangeOperation, petIdOf, type Touched } from "@petstore/core"
import { columnsOfActor, numberOfOperation, type RecordedChange, requestIdOf, touchedText } from "../change-rows.js"
import { rowInserts, type Statements } from "./engine/connection.js"

export type RecordChange = (
  operation: ChangeOperation,
  by: Actor | undefined,
  before: Touched | undefined,
  after: Touched | undefined,
) => void

/** Finds or inserts the number of an actor. */
export const actorNumbers = ({ prepare }: Pick<Statements, "prepare">) => {
  const select = prepare("SELECT id FROM change_actors WHERE key_id = ? AND account_id = ?")
  const insert = prepare("INSERT INTO change_actors (account_id, key_id) VALUES (?, ?)")
  return (by: Actor): bigint => {
    const [account, key] = columnsOfActor(by)
    // Safe: the statement lists this column.
    const row = select.get(key, account) as unknown as readonly [bigint] | undefined
    return row?.[0] ?? BigInt(insert.run(account, key).lastInsertRowid)
  }
}

const columns = ["at", "operation", "actor", "request_id", "pet_id", "before", "after"]

/** The operations that insert a pet. */
const insertions: ReadonlySet<ChangeOperation> = new Set(["createPet", "restorePet"])

/** Marks the changes of a transaction as the store's own, or those that follow it as SQL by hand. */
export const ownChanges = ({ prepare }: Pick<Statements, "prepare">): ((isOwn: 0 | 1) => void) => {
  const own = prepare("UPDATE change_source SET is_own = ? WHERE only_row = 1")
  return (isOwn) => void own.run(isOwn)
}

export const changeWrites = (statements: Statements) => {
  const { prepare } = statements
  const setOwn = ownChanges(statements)
  // `OR FAIL` needs no statement journal, which would be of no use: a failure here undoes the entire transaction.
  const insert = rowInserts(statements, "INSERT OR FAIL INTO changes", columns)
  const count = prepare("UPDATE inventory SET pets = pets + ? WHERE status = ?")
  const numberOf = actorNumbers(statements)
  let recorded: Array<RecordedChange> = []

  const writeChanges = (): void => {
    const at = Date.now()
    // A rolled back transaction may have inserted other actors, so each transaction looks them up again.
    const numbers = new Map<string, bigint>()
    const knownNumberOf = (by: Actor): bigint => {
      const name = "command" in by ? by.command : by.keyId
      const number = numbers.get(name) ?? numberOf(by)
      numbers.set(name, number)
      return number
    }
    const values: Array<string | number | bigint | null> = []
    for (const { operation, by, before, after } of recorded) {
      const actor = by === undefined ? null : knownNumberOf(by)
      const petId = petIdOf(after ?? before ?? {}) ?? null
      values.push(at, numberOfOperation(operation), actor, requestIdOf(by), petId, touchedText(before), touchedText(after))
    }
    insert(values)
  }

  const countInsertions = (): void => {
    const counts = new Map<string, number>()
    for (const { operation, after } of recorded) {
      const status = after?.pet?.status ?? ""
      if (insertions.has(operation)) counts.set(status, (counts.get(status) ?? 0) + 1)
    }
    for (const [status, pets] of counts) count.run(pets, status)
  }

  return {
    record: ((operation, by, before, after) => void recorded.push({ operation, by, before, after })) satisfies RecordChange,

    /** The statements, whose `allOrNothing` also undoes what the work recorded. */
    undoing: {
      ...statements,
      allOrNothing: <A>(work: () => A): A => {
        const { length } = recorded
        try {
          return statements.allOrNothing(work)
        } catch (thrown) {
          recorded.length = length
          throw thrown
        }
      },
    },

    beginChanges: (): void => {
      recorded = []
      setOwn(1)
    },

    /** Writes the recorded changes, and returns them. */
    endChanges: (): ReadonlyArray<RecordedChange> => {
      writeChanges()
      countInsertions()
      setOwn(0)
      return recorded
    },
  }
}
