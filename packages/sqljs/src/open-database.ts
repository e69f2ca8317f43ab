import { type Connection, openConnection } from "./connection.js"
import { engine } from "./engine.js"
import { notImplemented } from "./errors.js"
import { applyLimits, type DatabaseLimits, readLimits } from "./limits.js"
import { type Options, readBoolean, readInt32, readObject, readOnlyUri } from "./options.js"
import type { PrepareOptions, StatementOptions } from "./statement.js"
import { database as fields, flag } from "./structures.js"

/** A database's options. Every option is off by default, unless noted. */
export interface DatabaseSyncOptions extends PrepareOptions {
  /** Opens the database immediately. On by default. */
  open?: boolean | undefined
  /** On by default. */
  enableForeignKeyConstraints?: boolean | undefined
  enableDoubleQuotedStringLiterals?: boolean | undefined
  readOnly?: boolean | undefined
  /** Accepted, but `loadExtension` always throws, because extensions cannot be loaded into WebAssembly. */
  allowExtension?: boolean | undefined
  /** How long to wait for a lock before SQLITE_BUSY, in ms. */
  timeout?: number | undefined
  defensive?: boolean | undefined
  limits?: NodeJS.PartialOptions<DatabaseLimits> | undefined
}

export const statementOptions = (given: Options, from: StatementOptions): StatementOptions => ({
  readBigInts: readBoolean(given, "readBigInts", from.readBigInts),
  returnArrays: readBoolean(given, "returnArrays", from.returnArrays),
  allowBareNamedParameters: readBoolean(given, "allowBareNamedParameters", from.allowBareNamedParameters),
  allowUnknownNamedParameters: readBoolean(given, "allowUnknownNamedParameters", from.allowUnknownNamedParameters),
})

export const openOptions = (given: Options) => ({
  readOnly: readBoolean(given, "readOnly", false),
  enableForeignKeyConstraints: readBoolean(given, "enableForeignKeyConstraints", true),
  enableDoubleQuotedStringLiterals: readBoolean(given, "enableDoubleQuotedStringLiterals", false),
  allowExtension: readBoolean(given, "allowExtension", false),
  timeoutMillis: readInt32(given, "timeout", 0),
  ...statementOptions(given, {
    readBigInts: false,
    returnArrays: false,
    allowBareNamedParameters: true,
    allowUnknownNamedParameters: false,
  }),
  defensive: readBoolean(given, "defensive", true),
  limits: readLimits(readObject(given, "limits", {})),
})

export type OpenOptions = Readonly<ReturnType<typeof openOptions>>

/** SQLITE_OPEN_READONLY and SQLITE_OPEN_URI. */
const readOnlyFlags = 0x41

/** Opens a connection. Throws SQLite's error if that fails. On Windows, throws ERR_METHOD_NOT_IMPLEMENTED for a file. */
export const openDatabase = (location: string, options: OpenOptions): Connection => {
  if (process.platform === "win32" && location !== ":memory:") {
    throw notImplemented("A database in a file", "SQLite's Unix layer does not support Windows paths")
  }
  const connection = openConnection(engine(), options.readOnly ? readOnlyUri(location) : location)
  // As in SQLite itself, attached databases are opened with the connection's flags.
  if (options.readOnly) connection.engine.memory.setInt(connection.handle + fields.openFlags, readOnlyFlags)
  connection.setFlag(flag.doubleQuotedInDml, options.enableDoubleQuotedStringLiterals)
  connection.setFlag(flag.doubleQuotedInDdl, options.enableDoubleQuotedStringLiterals)
  connection.setFlag(flag.foreignKeys, options.enableForeignKeyConstraints)
  connection.exec(`PRAGMA busy_timeout = ${options.timeoutMillis}`)
  connection.setFlag(flag.defensive, options.defensive)
  applyLimits(connection, options.limits)
  return connection
}
