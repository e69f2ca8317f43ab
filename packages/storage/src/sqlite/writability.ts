/** One small write that shows a service whether its SQLite file still accepts writes. */
import type { DatabaseSync } from "node:sqlite"
import { prepareExact } from "./engine/prepare-exact.js"

/** A more recent write of another process, in ms, proves enough: one of the processes of a file writes. */
const provenMillis = 4_000

export const writabilityWrites = (connection: DatabaseSync) => {
  // After a clock was set back, a proof may be in the future: it counts as old.
  const prove = prepareExact(connection, "UPDATE writability SET proven_at = ? WHERE only_row = 1 AND abs(proven_at - ?) >= ?")
  return {
    proveWritable: (now: number): void => void prove.run(now, now, provenMillis),
  }
}
