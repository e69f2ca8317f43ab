/** A small write that shows a service whether its SQLite file still accepts writes. */
import type { DatabaseSync } from "node:sqlite"
import { prepareExact } from "./engine/prepare-exact.js"

/** How old another process's proof may be, in ms, so that one process proves writes for all processes that share a file. */
const provenMillis = 4_000

export const writabilityWrites = (connection: DatabaseSync) => {
  // After a clock has been set back, the proof may be in the future. Such a proof counts as old.
  const prove = prepareExact(connection, "UPDATE writability SET proven_at = ? WHERE only_row = 1 AND abs(proven_at - ?) >= ?")
  return {
    proveWritable: (now: number): void => void prove.run(now, now, provenMillis),
  }
}
