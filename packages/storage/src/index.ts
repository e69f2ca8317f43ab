/** The public names of `@petstore/storage`. */
export { backupStore, restoreStore } from "./backup.js"
export { BackupFailed } from "./backup-failed.js"
export { type DatabaseUrl, databaseUrlForms, decodeDatabaseUrl, isEphemeral } from "./database-url.js"
export { nodeCryptography } from "./node-cryptography.js"
export { type PostgresOptions, postgresDefaults } from "./postgres/options.js"
export type { PoolState } from "./postgres/pool-state.js"
export { type Repositories, type StorageOptions, storage } from "./storage.js"
export { StorageNotOpened } from "./storage-not-opened.js"
