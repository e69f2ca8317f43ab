/** @petstore/sqljs: the API of `node:sqlite` on sql.js. */
import { backup } from "./backup.js"
import { constants } from "./constants.js"
import { DatabaseSync } from "./database.js"
import { Session } from "./session.js"
import { StatementSync } from "./statement.js"

export type { ApplyChangesetOptions } from "./apply-changeset.js"
export { type BackupOptions, type BackupProgressInfo, backup } from "./backup.js"
export type { StatementColumnMetadata } from "./columns.js"
export { constants } from "./constants.js"
export {
  type AggregateOptions,
  DatabaseSync,
  type DeserializeOptions,
  type FunctionOptions,
  type SQLTagStore,
} from "./database.js"
export { useBinary } from "./engine.js"
export { isInUse } from "./file-lock.js"
export type { DatabaseLimits } from "./limits.js"
export type { DatabaseSyncOptions } from "./open-database.js"
export { type CreateSessionOptions, Session } from "./session.js"
export { type PrepareOptions, type StatementResultingChanges, StatementSync } from "./statement.js"
export type { SQLInputValue, SQLOutputValue } from "./values.js"

// biome-ignore lint/style/noDefaultExport: `node:sqlite` has a default export, with these members.
export default { backup, constants, DatabaseSync, Session, StatementSync }
