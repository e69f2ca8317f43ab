/** Restores a SQLite store from a backup: the engine swaps the files; this module settles the keys and the deployment. */
import type { DatabaseSync } from "node:sqlite"
import type { Deployment } from "@petstore/core"
import { BackupFailed, BackupOfAnotherDeployment } from "../backup-failed.js"
import type { Restored, RestoreOptions } from "../store-copy.js"
import { type Engine, rowsOf } from "./engine/copy.js"
import { restoreFile } from "./engine/restore.js"
import { whySchemaRefused } from "./migrations.js"
import { credentialsIn, credentialsOf, readWhole, settleKeys } from "./restored-keys.js"

/** Refuses a schema that this program cannot open, so that a working store is not replaced with one that cannot be opened. */
const refuseSchema = (copy: DatabaseSync, file: string): void => {
  const reason = whySchemaRefused(copy, file)
  if (reason !== undefined) throw new BackupFailed({ reason: `${reason} Nothing was changed.` })
}

/** The restored store's deployment. Refuses to mix two deployments unless `as` is given. */
const settleDeployment = (
  path: string,
  { deployment: named, as }: RestoreOptions,
  backup: Deployment | undefined,
  former: Deployment | undefined,
): Deployment | undefined => {
  const ours = as ?? named ?? former
  if (former !== undefined && former !== ours) {
    const reason = `The store at ${path} belongs to ${former}, and the backup is for ${ours}. Choose a different store, or move the existing one out of the way.`
    throw new BackupFailed({ reason })
  }
  if (as === undefined && backup !== undefined && ours !== undefined && backup !== ours) {
    throw new BackupOfAnotherDeployment({ backup, ours })
  }
  return ours ?? backup
}

/** A store's highest assigned identifiers; empty if the table that records them is damaged. */
const givenIn = (engine: Engine, file: string): ReadonlyArray<readonly [table: string, id: bigint]> =>
  readWhole(engine, file, ["sqlite_sequence"], (former) =>
    rowsOf(former, "SELECT name, seq FROM sqlite_sequence WHERE name IN ('pets', 'orders')").map(
      // Safe: SQLite itself writes a name and an integer to this table.
      ({ name, seq }) => [name as string, seq as bigint] as const,
    ),
  ) ?? []

/** Reserves the identifiers that the former store has assigned since the backup, because clients may still use them. */
const keepGiven = (copy: DatabaseSync, given: ReadonlyArray<readonly [table: string, id: bigint]>): void => {
  const raise = copy.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?")
  const begin = copy.prepare("INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)")
  for (const [table, id] of given) if (Number(raise.run(id, table).changes) === 0) begin.run(id, table)
}

/** Creates the store at `path` from a backup. After `BackupFailed` or `BackupOfAnotherDeployment`, nothing was changed. */
export const restoreSqlite = async (engine: Engine, path: string, file: string, options: RestoreOptions): Promise<Restored> => {
  const { withKeys, as } = options
  return restoreFile(engine, path, file, options, async (copy, formerFile) => {
    refuseSchema(copy, file)
    const former = formerFile === undefined ? undefined : credentialsIn(engine, formerFile)
    const { deployment: backup } = credentialsOf(copy)
    const deployment = settleDeployment(path, options, backup, former?.deployment)
    const isMoved = as !== undefined && backup !== as
    if (formerFile !== undefined) keepGiven(copy, givenIn(engine, formerFile))
    return settleKeys(copy, { former, withKeys, deployment, isMoved })
  })
}
