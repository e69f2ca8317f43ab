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

interface Recorded {
  readonly operation: ChangeOperation
  readonly by: Actor | undefined
  readonly before: Touched | undefined
  readonly after: Touched | undefined
}

const rowsAtOnce = 50

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

export const changeWrites = (statements: Statements) => {
  const { prepare } = statements
  const own = prepare("UPDATE pet_changes SET is_own = ? WHERE id = 1")
  const prepareRows = (rows: number) =>
    prepare(
      `INSERT INTO changes (at, operation, actor, request_id, pet_id, before, after) VALUES ${Array(rows)
        .fill("(?, ?, ?, ?, ?, ?, ?)")
        .join(", ")}`,
    )
  const many = prepareRows(rowsAtOnce)
  const one = prepareRows(1)
  const numberOf = actorNumbers(statements)
  let recorded: Array<Recorded> = []

  const writeChanges = (): void => {
    const all = recorded
    recorded = []
    if (all.length === 0) return
    const at = Date.now()
    /** The actors of this transaction. A rolled back transaction may have inserted others. */
    const numbers = new Map<string, bigint>()
    const actorOf = (by: Actor | undefined): bigint | null => {
      if (by === undefined) return null
      const name = rowOfActor(by).join("\n")
      const number = numbers.get(name) ?? numberOf(by)
      numbers.set(name, number)
      return number
    }
    const valuesOf = ({ operation, by, before, after }: Recorded) => [
      at,
      numberOfOperation(operation),
      actorOf(by),
      by !== undefined && "requestId" in by ? by.requestId : null,
      petIdOf(after ?? before ?? {}) ?? null,
      touchedText(before),
      touchedText(after),
    ]
    let done = 0
    for (; all.length - done >= rowsAtOnce; done += rowsAtOnce) many.run(...all.slice(done, done + rowsAtOnce).flatMap(valuesOf))
    for (const last of all.slice(done)) one.run(...valuesOf(last))
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

    endChanges: (): void => {
      writeChanges()
      own.run(0)
    },
  }
}
