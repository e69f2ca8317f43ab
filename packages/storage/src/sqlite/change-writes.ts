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

const rowsAtOnce = 50
const columnsOfRow = 7

type Value = string | number | bigint | null

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
  /** The values of the recorded changes, without objects for each, because a creation is too short for them. */
  let recorded: Array<Value> = []
  let actors: Array<Actor | undefined> = []

  /** Fills in the times and the actors. A rolled back transaction may have inserted other actors, so each looks them up again. */
  const complete = (): void => {
    const at = Date.now()
    const numbers = new Map<string, bigint>()
    for (const [index, by] of actors.entries()) {
      recorded[index * columnsOfRow] = at
      if (by === undefined) continue
      const name = "command" in by ? by.command : by.keyId
      const number = numbers.get(name) ?? numberOf(by)
      numbers.set(name, number)
      recorded[index * columnsOfRow + 2] = number
    }
  }

  const writeChanges = (): void => {
    if (recorded.length === 0) return
    complete()
    const step = rowsAtOnce * columnsOfRow
    let done = 0
    for (; recorded.length - done >= step; done += step) many.run(...recorded.slice(done, done + step))
    for (; done < recorded.length; done += columnsOfRow) one.run(...recorded.slice(done, done + columnsOfRow))
    forget()
  }

  const forget = (): void => {
    recorded = []
    actors = []
  }

  return {
    record: ((operation, by, before, after) => {
      const requestId = by !== undefined && "requestId" in by ? by.requestId : null
      const petId = petIdOf(after ?? before ?? {}) ?? null
      recorded.push(0, numberOfOperation(operation), null, requestId, petId, touchedText(before), touchedText(after))
      actors.push(by)
    }) satisfies RecordChange,

    /** The statements, whose `allOrNothing` also undoes what the work recorded. */
    undoing: {
      ...statements,
      allOrNothing: <A>(work: () => A): A => {
        const { length } = actors
        try {
          return statements.allOrNothing(work)
        } catch (thrown) {
          actors.length = length
          recorded.length = length * columnsOfRow
          throw thrown
        }
      },
    },

    beginChanges: (): void => {
      forget()
      own.run(1)
    },

    endChanges: (): void => {
      writeChanges()
      own.run(0)
    },
  }
}
