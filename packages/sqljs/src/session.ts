/** `Session`: recording changes. sql.js is built without SQLite's session extension, so none can be made. */

import { illegalConstructor } from "./errors.js"
import { publish } from "./public-class.js"

export interface CreateSessionOptions {
  table?: string | undefined
  db?: string | undefined
}

export interface ApplyChangesetOptions {
  filter?: ((tableName: string) => boolean) | undefined
  onConflict?: ((conflictType: number) => number) | undefined
}

class SessionImplementation {
  constructor() {
    throw illegalConstructor()
  }

  declare changeset: () => NodeJS.NonSharedUint8Array
  declare patchset: () => NodeJS.NonSharedUint8Array
  declare close: () => void
  declare [Symbol.dispose]: () => void
}

/** There to be named; `DatabaseSync.prototype.createSession` throws. */
export interface Session extends SessionImplementation {}
export const Session: typeof SessionImplementation = publish(SessionImplementation, "Session", illegalConstructor)
