/** Writes by any process change the revision. New pets end a list: identifiers only grow, and SQLite has one writer at a time. */
import type { DatabaseSync } from "node:sqlite"
import { PetFreshness, type PetRevision } from "@petstore/core"
import * as Option from "effect/Option"
import type { Database } from "./engine/database.js"
import { faultOf } from "./engine/errors.js"

export const sqlitePetFreshness = ({ connection, name, together }: Database) => {
  const revision = petRevision(connection)
  return PetFreshness.of({ revision: () => (name.lost() === undefined ? revision() : Option.none()), together })
}

/** Returns the function that reads the current revision. The function takes about as long as reading one row. */
export const petRevision = (connection: DatabaseSync): (() => Option.Option<PetRevision>) => {
  // `data_version` covers only commits by other connections; `total_changes` covers only rows that this connection changed.
  const theirs = connection.prepare("PRAGMA data_version")
  const ours = connection.prepare("SELECT total_changes()")
  const statusChanges = connection.prepare("SELECT changes FROM pet_changes WHERE id = 1")
  for (const statement of [theirs, ours, statusChanges]) statement.setReturnArrays(true)
  const first = (row: unknown): unknown => (Array.isArray(row) ? row[0] : undefined)
  let seenTheirs: unknown
  let seenOurs: unknown
  let insertions = 0
  let known = Option.some<PetRevision>({ insertions, changes: 0 })

  return () => {
    try {
      const nowTheirs = first(theirs.get())
      const nowOurs = first(ours.get())
      if (nowTheirs !== seenTheirs || nowOurs !== seenOurs) {
        const changes = Number(first(statusChanges.get()))
        // Assigned only now, because after a failure halfway through, both must be read again.
        seenTheirs = nowTheirs
        seenOurs = nowOurs
        insertions += 1
        known = Option.some({ insertions, changes })
      }
      return known
    } catch (thrown) {
      // If the database is unavailable, the following read reports this.
      if (faultOf(thrown).kind === "defect") throw thrown
      return Option.none()
    }
  }
}
