/** Backs up and restores entire stores, for the adapters that keep a store in a file. */
import * as Effect from "effect/Effect"
import { BackupFailed, BackupOfAnotherDeployment } from "./backup-failed.js"
import type { DatabaseUrl } from "./database-url.js"
import { openable } from "./openable.js"
import { backupSqlite } from "./sqlite/engine/backup.js"
import { verifySqlite } from "./sqlite/engine/restore.js"
import { restoreSqlite } from "./sqlite/restore-store.js"
import type { Contents, Restored, RestoreOptions } from "./store-copy.js"

const toFailure = (cause: unknown): BackupFailed =>
  cause instanceof BackupFailed
    ? cause
    : new BackupFailed({ reason: cause instanceof Error ? cause.message : String(cause), cause })

/**
 * Copies a store to a new file while other processes use the store. If it fails with `BackupFailed`, it leaves no file behind.
 *
 * @param replace whether to replace an existing file once the copy is complete; by default an existing file is refused
 */
export const backupStore = (
  url: DatabaseUrl,
  file: string,
  {
    replace = false,
    onStep,
  }: { readonly replace?: boolean | undefined; readonly onStep?: ((step: string) => void) | undefined } = {},
): Effect.Effect<Contents, BackupFailed> =>
  Effect.flatMap(openable(url), ({ engine, path }) =>
    Effect.tryPromise({ try: () => backupSqlite(engine, path, file, replace, onStep), catch: toFailure }),
  )

/**
 * Creates a store from a backup. If it fails with `BackupFailed` or `BackupOfAnotherDeployment`, an existing store is unchanged.
 * Pets revert to their state in the backup; accounts and API keys do not: see `RestoredKeys`.
 */
export const restoreStore = (
  url: DatabaseUrl,
  file: string,
  options: RestoreOptions,
): Effect.Effect<Restored, BackupFailed | BackupOfAnotherDeployment> =>
  Effect.flatMap(openable(url), ({ engine, path }) =>
    Effect.tryPromise({
      try: () => restoreSqlite(engine, path, file, options),
      catch: (thrown) => (thrown instanceof BackupOfAnotherDeployment ? thrown : toFailure(thrown)),
    }),
  )

/** Compares a backup with the checksum that it contains, by the engine of the store that it is a backup of. */
export const verifyBackup = (url: DatabaseUrl, file: string): Effect.Effect<Contents, BackupFailed> =>
  Effect.flatMap(openable(url), ({ engine }) => Effect.try({ try: () => verifySqlite(engine, file), catch: toFailure }))
