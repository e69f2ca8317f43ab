/**
 * Tests, at compile time, that this package's types are those of `node:sqlite` in @types/node 24. This file is compiled
 * separately, because a program can use only one version of Node's types.
 */
import type * as theirs from "node:sqlite"
import type * as ours from "../../src/index.js"

/** Whether two types are identical, including every optional and readonly modifier. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Members<T> = { [K in keyof T]: T[K] }

type Constants = typeof theirs.constants

/** Members of Node.js 26 that the types of Node.js 24 lack. */
type Newer = "close" | "resetStats" | "stat" | typeof Symbol.dispose

/** Every entry must be `true`; otherwise this file does not compile. */
export const equal: {
  readonly database: Equal<keyof ours.DatabaseSync, keyof theirs.DatabaseSync>
  readonly databaseAssignable: ours.DatabaseSync extends theirs.DatabaseSync ? true : false
  readonly databaseConstructor: Equal<
    ConstructorParameters<typeof ours.DatabaseSync>,
    ConstructorParameters<typeof theirs.DatabaseSync>
  >
  readonly statement: Equal<Members<Omit<ours.StatementSync, Newer>>, Members<Omit<theirs.StatementSync, Newer>>>
  readonly statementAssignable: ours.StatementSync extends theirs.StatementSync ? true : false
  readonly session: Equal<Members<ours.Session>, Members<theirs.Session>>
  readonly tagStore: Equal<keyof ours.SQLTagStore, keyof theirs.SQLTagStore>
  readonly tagStoreAssignable: ours.SQLTagStore extends theirs.SQLTagStore ? true : false
  readonly backup: typeof ours.backup extends typeof theirs.backup ? true : false
  readonly constants: Equal<Members<Pick<typeof ours.constants, keyof Constants>>, Readonly<Members<Constants>>>
  readonly databaseOptions: Equal<ours.DatabaseSyncOptions, theirs.DatabaseSyncOptions>
  readonly limits: Equal<Members<ours.DatabaseLimits>, Members<theirs.DatabaseLimits>>
  readonly createSession: Equal<ours.CreateSessionOptions, theirs.CreateSessionOptions>
  readonly applyChangeset: Equal<ours.ApplyChangesetOptions, theirs.ApplyChangesetOptions>
  readonly deserialize: Equal<ours.DeserializeOptions, theirs.DeserializeOptions>
  readonly functions: Equal<ours.FunctionOptions, theirs.FunctionOptions>
  readonly aggregates: Equal<Members<ours.AggregateOptions>, Members<theirs.AggregateOptions>>
  readonly prepare: Equal<ours.PrepareOptions, theirs.PrepareOptions>
  readonly input: Equal<ours.SQLInputValue, theirs.SQLInputValue>
  readonly output: Equal<ours.SQLOutputValue, theirs.SQLOutputValue>
  readonly columns: Equal<ours.StatementColumnMetadata, theirs.StatementColumnMetadata>
  readonly changes: Equal<ours.StatementResultingChanges, theirs.StatementResultingChanges>
  readonly backupOptions: Equal<ours.BackupOptions, theirs.BackupOptions>
  readonly progress: Equal<ours.BackupProgressInfo, theirs.BackupProgressInfo>
} = {
  database: true,
  databaseAssignable: true,
  databaseConstructor: true,
  statement: true,
  statementAssignable: true,
  session: true,
  tagStore: true,
  tagStoreAssignable: true,
  backup: true,
  constants: true,
  databaseOptions: true,
  limits: true,
  createSession: true,
  applyChangeset: true,
  deserialize: true,
  functions: true,
  aggregates: true,
  prepare: true,
  input: true,
  output: true,
  columns: true,
  changes: true,
  backupOptions: true,
  progress: true,
}
