/** Reads a whole store of any engine by SQL with `?` parameters. */
import * as Effect from "effect/Effect"
import { type CopiedRow, type CopiedTable, type Copying, changesTable, rowsAtOnce, type StoreReader } from "./tables.js"

type Value = string | bigint | null | ReadonlyArray<bigint>

interface SqlReading {
  readonly rowsOf: (sql: string, values?: ReadonlyArray<Value>) => Copying<ReadonlyArray<CopiedRow>>
  /** SQL for the columns of a table. */
  readonly columnsOf: (table: CopiedTable) => string
  /** Reads the deployment and the highest identifiers of pets and orders. */
  readonly selectState: string
  /** Reads the slots, each with the number of its newest change. */
  readonly selectEnds: string
  /** SQL for the slot of a change. */
  readonly slot: string
  /** SQL that compares with the identifiers in a parameter, and its value. */
  readonly amongIds: string
  readonly valueOfIds: (ids: ReadonlyArray<bigint>) => Value
  /** The progress of a webhook with a place that other stores understand. */
  readonly progressElsewhere: (progress: string) => Copying<string>
}

export const sqlReader = (reading: SqlReading): StoreReader => {
  const { rowsOf, columnsOf, selectState, selectEnds, slot, amongIds, valueOfIds, progressElsewhere } = reading
  return {
    state: Effect.map(rowsOf(selectState), ([row]) => {
      // Safe: the statement lists these columns.
      const [deployment = null, pets = 0n, orders = 0n] = (row ?? []) as readonly [(string | null)?, bigint?, bigint?]
      return { deployment, given: { pets, orders } }
    }),
    count: ({ name }) => Effect.map(rowsOf(`SELECT count(*) FROM ${name}`), ([row]) => BigInt(row?.[0] ?? 0)),
    readRows: (table, ids) => rowsOf(`SELECT ${columnsOf(table)} FROM ${table.name} WHERE id ${amongIds}`, [valueOfIds(ids)]),
    // Safe: both are integers.
    ends: Effect.map(rowsOf(selectEnds), (rows) => new Map(rows as unknown as ReadonlyArray<readonly [bigint, bigint]>)),
    changesAfter: (ofSlot, id) => {
      const sql = `SELECT ${columnsOf(changesTable)} FROM changes WHERE ${slot} = ? AND id > ? ORDER BY id LIMIT ${rowsAtOnce}`
      return rowsOf(sql, [ofSlot, id])
    },
    read: (table, after) => {
      const { name, columns, keyLength } = table
      const names = Object.keys(columns)
      const key = names.slice(0, keyLength)
      const where = after === undefined ? "" : `WHERE (${key.join()}) > (${key.map(() => "?").join()})`
      const sql = `SELECT ${columnsOf(table)} FROM ${name} ${where} ORDER BY ${key.join()} LIMIT ${rowsAtOnce}`
      const rows = rowsOf(sql, (after ?? []).slice(0, keyLength))
      const progress = names.indexOf("progress")
      if (progress === -1) return rows
      const elsewhere = (row: CopiedRow): Copying<CopiedRow> =>
        Effect.map(progressElsewhere(String(row[progress])), (text) => row.with(progress, text))
      return Effect.flatMap(rows, Effect.forEach(elsewhere))
    },
  }
}
