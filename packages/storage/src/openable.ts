/** Apart from the public functions, whose declarations must not need the types of `node:sqlite`. */
import * as Effect from "effect/Effect"
import { BackupFailed } from "./backup-failed.js"
import { type DatabaseUrl, isEphemeral } from "./database-url.js"
import type { Engine } from "./sqlite/engine/copy.js"
import { provideTemporaryFolder } from "./sqlite/engine/room.js"
import { sqljs } from "./sqljs.js"

/** A store's engine and file. Two engines must not open one file at the same time, so each store is copied by its own engine. */
export const openable = (url: DatabaseUrl): Effect.Effect<{ readonly engine: Engine; readonly path: string }, BackupFailed> => {
  if (url.adapter === "postgres") {
    return new BackupFailed({ reason: "Restore a PostgreSQL store with pg_restore, and then run: petstore migrate --restored" })
  }
  if (url.adapter === "memory" || isEphemeral(url)) {
    return new BackupFailed({ reason: "An in-memory store cannot be backed up or restored." })
  }
  const { adapter, path } = url
  provideTemporaryFolder(path)
  return adapter === "sqljs"
    ? Effect.mapBoth(sqljs, {
        onSuccess: (engine) => ({ engine, path }),
        onFailure: ({ reason, cause }) => new BackupFailed({ reason, cause }),
      })
    : Effect.promise(async () => ({ engine: await import("node:sqlite"), path }))
}
