import type { DatabaseSync } from "node:sqlite"
import { statementsOn } from "./engine/connection.js"
import { orderWrites } from "./order-repository.js"
import { petWrites } from "./pet-repository.js"
import { indexWrites } from "./search-index.js"
import { tableWrites } from "./tables.js"

/** How old another process's proof may be, in ms, so that one process proves writes for all processes that share a file. */
const provenMillis = 4_000

export const sqliteWrites = (connection: DatabaseSync) => {
  const statements = statementsOn(connection)
  // After a clock has been set back, the proof may be in the future. Such a proof counts as old.
  const prove = statements.prepare("UPDATE writability SET proven_at = ? WHERE only_row = 1 AND abs(proven_at - ?) >= ?")
  return {
    ...petWrites(statements),
    ...indexWrites(statements),
    ...orderWrites(statements),
    ...tableWrites(statements),
    /** A small write that shows a service whether its SQLite file still accepts writes. */
    proveWritable: (now: number): void => void prove.run(now, now, provenMillis),
  }
}
