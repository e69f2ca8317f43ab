/** Reads whole tables of any engine, and compares a copy with what was read. */
import * as Effect from "effect/Effect"
import { BackupFailed } from "../backup-failed.js"
import {
  type CopiedRow,
  type CopiedTable,
  type Copying,
  copiedTables,
  rowsAtOnce,
  type StoreReader,
  type StoreWriter,
  type Sum,
  sumOf,
  type TableContents,
} from "./tables.js"

/** The progress of a copy. */
export interface CopyProgress {
  readonly step: "copying" | "verifying" | "reading"
  readonly table: string
  /** The rows of all tables that are done in this step, and the number of rows of all tables. */
  readonly done: bigint
  readonly total: bigint
}

export type OnProgress = ((progress: CopyProgress) => void) | undefined

/** The sums of tables by their names. */
export type Sums = ReadonlyMap<string, Sum>

/** Reads tables. Returns their sums. */
export const readAll = (
  tables: ReadonlyArray<CopiedTable>,
  reader: StoreReader,
  step: CopyProgress["step"],
  onProgress: OnProgress,
  use: (table: CopiedTable, rows: ReadonlyArray<CopiedRow>) => Copying<void>,
): Copying<Sums> =>
  Effect.gen(function* () {
    let [done, total] = [0n, 0n]
    for (const table of tables) total += yield* reader.count(table)
    const sums = new Map<string, Sum>()
    for (const table of tables) {
      const sum = sumOf(table)
      for (let after: CopiedRow | undefined; ; ) {
        const rows = yield* reader.read(table, after)
        yield* use(table, rows)
        sum.add(rows)
        done += BigInt(rows.length)
        onProgress?.({ step, table: table.name, done, total })
        if (rows.length < rowsAtOnce) break
        after = rows.at(-1)
      }
      sums.set(table.name, sum)
    }
    return sums
  })

export const contentsOf = (sums: Sums): ReadonlyArray<TableContents> =>
  copiedTables.flatMap(({ name }) => sums.get(name)?.contents() ?? [])

/** Reads tables of the target again. Fails if they are not as they were written. */
export const verify = (
  tables: ReadonlyArray<CopiedTable>,
  target: StoreWriter,
  sums: Sums,
  onProgress: OnProgress,
): Copying<void> =>
  Effect.gen(function* () {
    const found = yield* readAll(tables, target, "verifying", onProgress, () => Effect.void)
    for (const { name } of tables) {
      if (sums.get(name)?.contents().checksum !== found.get(name)?.contents().checksum) return yield* differs(name)
    }
  })

export const differs = (what: string) =>
  new BackupFailed({ reason: `The copy differs from the store (${what}). It was not put into place. Copy again.` })
