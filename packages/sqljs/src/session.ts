/** `Session`: recording changes. sql.js is built without SQLite's session extension, so none can be made. */
import { illegalConstructor } from "./errors.js"

export interface CreateSessionOptions {
  table?: string | undefined
  db?: string | undefined
}

export interface ApplyChangesetOptions {
  filter?: ((tableName: string) => boolean) | undefined
  onConflict?: ((conflictType: number) => number) | undefined
}

/** There to be named; `DatabaseSync.prototype.createSession` throws. */
export class Session {
  constructor() {
    throw illegalConstructor()
  }

  declare changeset: () => NodeJS.NonSharedUint8Array
  declare patchset: () => NodeJS.NonSharedUint8Array
  declare close: () => void
  declare [Symbol.dispose]: () => void
}
