export { AppDatabase, type AppTable, type AppValue } from "./app-table.js"
export { backupStore, restoreStore } from "./backup.js"
export { BackupFailed, BackupOfAnotherDeployment } from "./backup-failed.js"
export {
  type Copied,
  type CopyOptions,
  type CopyReports,
  checksumStore,
  copyStore,
} from "./copy/copy-store.js"
export type { CopyProgress } from "./copy/reading.js"
export type { TableContents, WholeContents } from "./copy/tables.js"
export { type DatabaseUrl, databaseUrlForms, decodeDatabaseUrl, isEphemeral, nameOfStore } from "./database-url.js"
export { distributeStore } from "./distribute.js"
export type { DistributeOptions, Distribution } from "./distribution.js"
export { nodeCryptography } from "./node-cryptography.js"
export { type PostgresOptions, postgresDefaults } from "./postgres/engine/options.js"
export type { PoolState } from "./postgres/engine/pool-state.js"
export { type Repositories, type RepositoriesByName, type RepositoryWrappers, wrapRepositories } from "./repositories.js"
export { storage } from "./storage.js"
export { StorageNotOpened } from "./storage-not-opened.js"
export type { StorageOptions } from "./storage-options.js"
export type { Contents, Restored, RestoredKeys, RestoreOptions } from "./store-copy.js"
