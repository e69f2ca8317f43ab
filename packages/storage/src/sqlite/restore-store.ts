/** A SQLite store from a backup: the file is exchanged by the engine; what the store knows of keys and its deployment is settled here. */
import type { DatabaseSync } from "node:sqlite"
import type { Deployment } from "@petstore/core"
import * as Effect from "effect/Effect"
import { BackupFailed, BackupOfAnotherDeployment } from "../backup-failed.js"
import type { Restored, RestoredKeys, RestoreOptions } from "../store-copy.js"
import type { Engine } from "./engine/copy.js"
import { restoreFile } from "./engine/restore.js"
import { migrate, schemaVersion, versionOf } from "./migrations.js"
import { credentialsIn, credentialsOf, settleKeys } from "./restored-keys.js"

/** Refuses a newer schema: a working store is not replaced by one that cannot be opened. */
const refuseNewer = (copy: DatabaseSync, file: string): void => {
  const version = versionOf(copy)
  if (version <= schemaVersion) return
  throw new BackupFailed({
    reason: `${file} has schema version ${version}, newer than this program, which knows up to ${schemaVersion}. Use a newer release. Nothing was changed.`,
  })
}

/** The deployment that the store is going to belong to. Refuses to mix two without `as`. */
const settleDeployment = (
  path: string,
  { deployment: named, as }: RestoreOptions,
  backup: Deployment | undefined,
  former: Deployment | undefined,
): Deployment | undefined => {
  const ours = as ?? named ?? former
  if (former !== undefined && former !== ours) {
    const reason = `The store at ${path} belongs to ${former}, and this command to ${ours}. Name another store in DATABASE_URL, or move that one away.`
    throw new BackupFailed({ reason })
  }
  if (as === undefined && backup !== undefined && ours !== undefined && backup !== ours) {
    throw new BackupOfAnotherDeployment({ backup, ours })
  }
  return ours ?? backup
}

/** Makes the store at `path` from a backup. Rejects with `BackupFailed` or `BackupOfAnotherDeployment`, and then nothing was changed. */
export const restoreSqlite = async (engine: Engine, path: string, file: string, options: RestoreOptions): Promise<Restored> => {
  const { replace, withKeys = false, as, onStep } = options
  const settle = async (copy: DatabaseSync, formerFile: string | undefined): Promise<RestoredKeys> => {
    refuseNewer(copy, file)
    const former = formerFile === undefined ? undefined : credentialsIn(engine, formerFile)
    const { deployment: backup } = credentialsOf(copy)
    const deployment = settleDeployment(path, options, backup, former?.deployment)
    const isMoved = as !== undefined && backup !== as
    // A schema of before has no table for the mark.
    if (isMoved) await Effect.runPromise(migrate(copy, path, { migrate: true }))
    return settleKeys(copy, { former, withKeys, deployment, isMoved })
  }
  const { settled, ...replaced } = await restoreFile(engine, path, file, { replace, settle, ...(onStep && { onStep }) })
  return { ...replaced, keys: settled }
}
