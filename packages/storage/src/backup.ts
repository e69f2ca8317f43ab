/** Copies of whole stores, for the adapters that keep them in a file of ours. */
import { Effect } from "effect"
import { BackupFailed } from "./backup-failed.js"
import { type DatabaseUrl, isEphemeral } from "./database-url.js"
import type { Restored } from "./sqlite/backup.js"
import type { Contents } from "./sqlite/contents.js"

const fileOf = (url: DatabaseUrl): Effect.Effect<string, BackupFailed> => {
  if (url.adapter === "postgres") {
    return new BackupFailed({ reason: "A PostgreSQL store is backed up with the tools of its server, such as pg_dump." })
  }
  if (url.adapter !== "sqlite" || isEphemeral(url)) {
    return new BackupFailed({ reason: "DATABASE_URL names a store in memory: there is nothing to keep." })
  }
  return Effect.succeed(url.path)
}

const toFailure = (cause: unknown): BackupFailed =>
  cause instanceof BackupFailed
    ? cause
    : new BackupFailed({ reason: cause instanceof Error ? cause.message : String(cause), cause })

/** Copies a store to a new file, while others use it. Fails with `BackupFailed`, and then leaves no file. */
export const backupStore = (url: DatabaseUrl, file: string): Effect.Effect<Contents, BackupFailed> =>
  Effect.flatMap(fileOf(url), (path) =>
    Effect.tryPromise({ try: async () => (await import("./sqlite/backup.js")).backupSqlite(path, file), catch: toFailure }),
  )

/** Makes a store from a backup. Fails with `BackupFailed`, and then leaves a store that was there as it is. */
export const restoreStore = (
  url: DatabaseUrl,
  file: string,
  { replace }: { readonly replace: boolean },
): Effect.Effect<Restored, BackupFailed> =>
  Effect.flatMap(fileOf(url), (path) =>
    Effect.tryPromise({
      try: async () => (await import("./sqlite/backup.js")).restoreSqlite(path, file, replace),
      catch: toFailure,
    }),
  )
