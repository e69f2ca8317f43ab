/** One small write, by which a service learns whether its SQLite file still keeps any. */
import type { DatabaseSync } from "node:sqlite"
import { prepareExact } from "./engine/prepare-exact.js"

/** A write of another process that is younger, in ms, is proof enough: of all that serve a file one writes. */
const provenMillis = 4_000

export const writabilityWrites = (connection: DatabaseSync) => {
  // A clock that was set back makes a proof of the future: it counts as an old one.
  const prove = prepareExact(connection, "UPDATE writability SET proven_at = ? WHERE only_row = 1 AND abs(proven_at - ?) >= ?")
  return {
    proveWritable: (now: number): void => void prove.run(now, now, provenMillis),
  }
}
