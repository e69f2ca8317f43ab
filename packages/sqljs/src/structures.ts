/**
 * Offsets into structures of SQLite 3.54.1, for values without an exported function; the comments use the names in SQLite's
 * source. The offsets are valid only for the pinned binary. No other binary is loaded, and `test/structures.test.ts` verifies
 * every offset.
 */

/** `struct sqlite3`: one connection. */
export const database = {
  firstStatement: 4,
  schemas: 16,
  schemaCount: 20,
  flags: 32,
  lastRowid: 40,
  /** The flags of `sqlite3_open_v2` with which ATTACH opens a file. */
  openFlags: 60,
  errorCode: 64,
  autoCommit: 85,
  changes: 104,
  limits: 120,
  authorizer: 372,
  authorizerArgument: 376,
  modules: 396,
  functions: 424,
  /** The number of foreign key violations to check at the end of the transaction: two 64-bit counters. */
  deferredViolations: 520,
} as const

/** Bits of `sqlite3.flags`. */
export const flag = {
  foreignKeys: 0x4000,
  defensive: 0x10000000,
  doubleQuotedInDdl: 0x20000000,
  doubleQuotedInDml: 0x40000000,
} as const

/** `struct Vdbe`: one prepared statement. */
export const statement = {
  next: 8,
  variableCount: 16,
  variables: 100,
  columnNames: 116,
  row: 120,
  variableNames: 128,
  /** nResColumn in the low half, nResAlloc in the high half. */
  columnCounts: 144,
  bits: 152,
  /** Nine counters, at the index of their SQLITE_STMTSTATUS code. */
  counters: 164,
  reprepared: 184,
} as const

/** The names by which `node:sqlite` reads `statement.counters`, at the index of their SQLITE_STMTSTATUS code. */
export const counterNames = [
  undefined,
  "fullscanStep",
  "sort",
  "autoindex",
  "vmStep",
  "reprepare",
  "run",
  "filterMiss",
  "filterHit",
]

/** Bits at `statement.bits`. `explain` has two bits, and so has `expired`, whose lower bit means: prepare the statement again. */
export const statementBit = { expired: 3, prepareAgain: 1, explain: 0xc } as const

/** `struct Mem`, which is `sqlite3_value`: 40 bytes. */
export const value = { size: 40, text: 8, length: 12, flags: 16, encoding: 18 } as const
export const valueFlag = { null: 1, text: 2, integer: 4, real: 8, blob: 0x10, integerAsReal: 0x20, zeroTail: 0x400 } as const

/** `struct FuncDef`, the elements of the hash `sqlite3.aFunc`, and `sqlite3_context`, which points to one. */
export const functionDefinition = { userData: 8, next: 12, step: 16, value: 24, inverse: 28 } as const
export const hash = { first: 8, elementNext: 0, elementData: 8 } as const
export const context = { definition: 4 } as const

/** `struct Db`, the elements of `sqlite3.aDb`, and the hash of tables in the `struct Schema` that each element points to. */
export const schema = { entrySize: 16, entryName: 0, entryTree: 4, entrySchema: 12, tables: 8 } as const

/** `struct Btree`, which each `struct Db` points to, and its `struct BtShared`. */
export const tree = { connection: 0, shared: 4 } as const
export const sharedTree = { connection: 4 } as const

/** `struct Table`. The last two fields have 16 bits; `rowidColumn` is -1 if no column is the rowid. */
export const table = { name: 0, columns: 4, rowidColumn: 32, columnCount: 34 } as const

/** `struct Column`: 12 bytes. The declared type and the collation follow the name, if the flags are set. */
export const column = { size: 12, name: 0, flags: 10 } as const
export const columnFlag = { hasType: 4, hasCollation: 0x200 } as const

/** `struct Module`: the module's virtual table that exists without CREATE. */
export const module = { ownTable: 20 } as const

/** `struct sqlite3_backup`. */
export const backup = { remaining: 36, pageCount: 40 } as const

/** `Sqlite3Config.bOpenUri`: whether names that start with "file:" are URIs. This is an address, not an offset. */
export const openUriAddress = 81166

/** Address of the "getpagesize" pointer in `aSyscall`, the system calls of SQLite's Unix layer: four bytes after its name. */
export const pageSizeCallAddress = 81744
