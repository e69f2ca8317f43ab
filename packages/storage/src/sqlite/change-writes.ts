/**
 * Writes the changes of a transaction at its end, with few statements, because running a statement takes longer than inserting a
 * row. Until then, the row of `pet_changes` says that they are the store's own, so that the triggers for SQL by hand stay quiet.
 */
import { type Actor, type ChangeOperation, petIdOf, type Touched } from "@petstore/core"
import { numberOfOperation, touchedText } from "../change-rows.js"
import type { Statements } from "./engine/connection.js"

export type RecordChange = (
  operation: ChangeOperation,
  by: Actor | undefined,
  before: Touched | undefined,
  after: Touched | undefined,
) => void

/** A change that a transaction has recorded. */
export interface Recorded {
  readonly operation: ChangeOperation
  readonly by: Actor | undefined
  readonly before: Touched | undefined
  readonly after: Touched | undefined
}

/** An actor as its row: the account, which is empty for a command, and the key or the command. */
const rowOfActor = (by: Actor): readonly [account: string, key: string] =>
  "command" in by ? ["", by.command] : [by.accountId, by.keyId]

/** Finds or inserts the number of an actor. */
export const actorNumbers = ({ prepare }: Pick<Statements, "prepare">) => {
  const select = prepare("SELECT id FROM change_actors WHERE key_id = ? AND account_id = ?")
  const insert = prepare("INSERT INTO change_actors (account_id, key_id) VALUES (?, ?)")
  return (by: Actor): bigint => {
    const [account, key] = rowOfActor(by)
    // Safe: the statement lists this column.
    const row = select.get(key, account) as unknown as readonly [bigint] | undefined
    return row?.[0] ?? BigInt(insert.run(account, key).lastInsertRowid)
  }
}

const columns = ["at", "operation", "actor", "request_id", "pet_id", "before", "after"]

/** On node:sqlite, one statement with 50 rows takes half as long as 50 statements. More rows bring no further gain. */
const rowsAtOnce = [50, 8, 1] as const

/** `OR FAIL` needs no statement journal, which would be of no use: a failure here undoes the entire transaction. */
const insertRows = (rows: number): string =>
  `INSERT OR FAIL INTO changes (${columns.join()}) VALUES ${Array(rows)
    .fill(`(${columns.map(() => "?").join()})`)
    .join()}`

export const changeWrites = (statements: Statements) => {
  const { prepare } = statements
  const own = prepare("UPDATE pet_changes SET is_own = ? WHERE id = 1")
  const inserts = rowsAtOnce.map((rows) => ({ step: rows * columns.length, statement: prepare(insertRows(rows)) }))
  const numberOf = actorNumbers(statements)
  let recorded: Array<Recorded> = []

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
      const requestId = by !== undefined && "requestId" in by ? by.requestId : null
      const petId = petIdOf(after ?? before ?? {}) ?? null
      values.push(at, numberOfOperation(operation), actor, requestId, petId, touchedText(before), touchedText(after))
    }
    let done = 0
    for (const { step, statement } of inserts) {
      for (; values.length - done >= step; done += step) statement.run(...values.slice(done, done + step))
    }
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
      own.run(1)
    },

    /** Writes the recorded changes, and returns them. */
    endChanges: (): ReadonlyArray<Recorded> => {
      writeChanges()
      own.run(0)
      return recorded
    },
  }
}
