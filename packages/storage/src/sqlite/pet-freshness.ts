/**
 * The revision is the number of the newest change of a pet that exists, so writes by any process change it. New pets end a list:
 * identifiers only grow, and SQLite has one writer at a time.
 */
import type { DatabaseSync } from "node:sqlite"
import { PetFreshness, type PetRevision } from "@petstore/core"
import * as Option from "effect/Option"
import type { Database } from "./engine/database.js"
import { faultOf } from "./engine/errors.js"
import { changesLists } from "./migrations.js"

export const sqlitePetFreshness = ({ connection, name, together }: Database) => {
  const { revision, raise } = petRevision(connection)
  return {
    freshness: PetFreshness.of({ revision: () => (name.lost() === undefined ? revision() : Option.none()), together }),
    /** Makes every cached page outdated. */
    raise,
  }
}

export const petRevision = (connection: DatabaseSync) => {
  // `data_version` covers only commits by other connections; `total_changes` covers only rows that this connection changed.
  const theirs = connection.prepare("PRAGMA data_version")
  const ours = connection.prepare("SELECT total_changes()")
  // Removed changes count too, or the number would fall to one that it had before.
  const lastChange = connection.prepare(`SELECT max(
    coalesce((SELECT id FROM changes INDEXED BY changes_of_lists WHERE ${changesLists} ORDER BY id DESC LIMIT 1), 0),
    CAST(last_place AS INTEGER)) FROM removed_changes`)
  for (const statement of [theirs, ours, lastChange]) statement.setReturnArrays(true)
  const first = (row: unknown): unknown => (Array.isArray(row) ? row[0] : undefined)
  let seenTheirs: unknown
  let seenOurs: unknown
  let insertions = 0
  let raised = 0
  let known: PetRevision = { insertions, changes: 0 }

  /** Reads the current revision. Takes about as long as reading one row. */
  const revision = (): Option.Option<PetRevision> => {
    try {
      const nowTheirs = first(theirs.get())
      const nowOurs = first(ours.get())
      if (nowTheirs !== seenTheirs || nowOurs !== seenOurs) {
        const changes = Number(first(lastChange.get())) + raised
        // Assigned only now, because after a failure halfway through, both must be read again.
        seenTheirs = nowTheirs
        seenOurs = nowOurs
        insertions += 1
        known = { insertions, changes }
      }
      return Option.some(known)
    } catch (thrown) {
      // If the database is unavailable, the following read reports this.
      if (faultOf(thrown).kind === "defect") throw thrown
      return Option.none()
    }
  }

  const raise = (): void => {
    raised += 1
    known = { ...known, changes: known.changes + 1 }
  }

  return { revision, raise }
}
