/** `Session`: recording changes. sql.js is built without SQLite's session extension, so none can be made. */

import { illegalConstructor } from "./errors.js"
import { type Public, publish } from "./public-class.js"

export interface CreateSessionOptions {
  table?: string | undefined
  db?: string | undefined
}

export interface ApplyChangesetOptions {
  filter?: ((tableName: string) => boolean) | undefined
  onConflict?: ((conflictType: number) => number) | undefined
}

abstract class SessionImplementation {
  constructor() {
    throw illegalConstructor()
  }

  abstract changeset(): NodeJS.NonSharedUint8Array
  abstract patchset(): NodeJS.NonSharedUint8Array
  abstract close(): void
  abstract [Symbol.dispose](): void
}

/** There to be named; `DatabaseSync.prototype.createSession` throws. */
export interface Session extends Public<SessionImplementation> {}
export const Session: typeof SessionImplementation = publish(SessionImplementation, "Session", illegalConstructor)
