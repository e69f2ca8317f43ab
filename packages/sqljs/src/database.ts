/** `DatabaseSync`: a connection to a database, with the names, defaults and errors of `node:sqlite`. */

import type { PathLike } from "node:fs"
import { type ApplyChangesetOptions, applyChangeset } from "./apply-changeset.js"
import { setAuthorizer } from "./authorizer.js"
import { asCall } from "./calls.js"
import type { Authorizer, Connection } from "./connection.js"
import { invalidArgumentType, invalidArgumentValue, invalidState, notImplemented, outOfRange } from "./errors.js"
import { definerOf } from "./functions.js"
import { type DatabaseLimits, limitsOf } from "./limits.js"
import { type DatabaseSyncOptions, type OpenOptions, openDatabase, openOptions, statementOptions } from "./open-database.js"
import {
  isCallable,
  optionsAt,
  optionsOr,
  readBoolean,
  readFunction,
  readPath,
  readString,
  requireBoolean,
  requireBytes,
  requireFunction,
  requireObject,
  requireString,
} from "./options.js"
import { ownGetters, type Public, publish } from "./public-class.js"
import { query } from "./query.js"
import { deserialize, serialize } from "./serialization.js"
import { type CreateSessionOptions, type Session, SessionImplementation } from "./session.js"
import { type PrepareOptions, prepareStatement, type StatementSync } from "./statement.js"
import { database as fields, flag } from "./structures.js"
import { TagStore } from "./tag-store.js"
import type { SQLInputValue, SQLOutputValue } from "./values.js"

export interface FunctionOptions {
  deterministic?: boolean | undefined
  directOnly?: boolean | undefined
  useBigIntArguments?: boolean | undefined
  varargs?: boolean | undefined
}

export interface AggregateOptions<T extends SQLInputValue = SQLInputValue> extends FunctionOptions {
  start: T | (() => T)
  step: (accumulator: T, ...args: SQLOutputValue[]) => T
  result?: ((accumulator: T) => SQLInputValue) | undefined
  /** Turns the aggregate into a window function. */
  inverse?: ((accumulator: T, ...args: SQLOutputValue[]) => T) | undefined
}

export interface DeserializeOptions {
  dbName?: string | undefined
}

/** A database's connection. Throws ERR_INVALID_STATE if it is not open, and TypeError if the argument is not a database. */
export let connectionOf: (database: object) => Connection

class Database {
  readonly #location: string
  readonly #options: OpenOptions
  #connection: Connection | undefined
  #limits: DatabaseLimits | undefined
  #allowsExtensions: boolean

  /**
   * @param path a file, ":memory:" for an in-memory database, or "" for a temporary database
   * @param options see `DatabaseSyncOptions`
   */
  constructor(path: PathLike, options?: DatabaseSyncOptions)
  constructor(...parameters: unknown[]) {
    this.#location = readPath(parameters[0])
    const given = optionsAt(parameters, 1)
    const opens = readBoolean(given, "open", true)
    this.#options = openOptions(given)
    this.#allowsExtensions = this.#options.allowExtension
    Object.defineProperty(this, Symbol.for("sqlite-type"), { value: "node:sqlite", enumerable: true })
    ownGetters(this, Database.prototype, ["isOpen", "isTransaction", "limits"])
    if (opens) this.open()
  }

  static {
    // Only the class itself can access the private field.
    connectionOf = (database) => {
      if (!(#connection in database)) throw new TypeError("Illegal invocation")
      const connection = database.#connection
      if (connection === undefined) throw invalidState("database is not open")
      connection.engine.requireRunning()
      return connection
    }
  }

  open(): void {
    if (this.#connection !== undefined) throw invalidState("database is already open")
    this.#connection = openDatabase(this.#location, this.#options)
  }

  /** Finalises all statements and closes the connection. An open transaction is rolled back. */
  close(): void {
    const connection = this.#connection
    if (connection === undefined) throw invalidState("database is not open")
    if (connection.callbackDepth > 0 && !connection.engine.hasStopped)
      throw invalidState("database cannot be closed while in a callback")
    connection.close()
    this.#connection = undefined
  }

  [Symbol.dispose](): void {
    if (this.#connection !== undefined) this.close()
  }

  get isOpen(): boolean {
    return this.#connection !== undefined
  }

  get isTransaction(): boolean {
    const { engine, handle } = connectionOf(this)
    return engine.memory.byte(handle + fields.autoCommit) === 0
  }

  /** The connection's run-time limits. Setting a member takes effect immediately. */
  get limits(): DatabaseLimits {
    this.#limits ??= limitsOf(() => connectionOf(this))
    return this.#limits
  }

  /** Runs every statement in the text; rows are ignored. */
  exec(sql: string): void {
    const connection = connectionOf(this)
    connection.exec(requireString(sql, "sql"))
  }

  /** Compiles one statement. `options` override the database's options for this statement. */
  prepare(sql: string, options?: PrepareOptions): StatementSync {
    const connection = connectionOf(this)
    requireString(sql, "sql")
    const asked = optionsOr(options)
    const given = statementOptions(asked, this.#options)
    // A hint to SQLite's allocator, for which the binary has no function.
    readBoolean(asked, "persistent", false)
    // Reading an option may run code that closes the database.
    connectionOf(this)
    return prepareStatement(connection, sql, given)
  }

  /** Caches statements written as template literals. @param maxSize maximum number of statements; 1000 by default */
  createTagStore(maxSize?: number): SQLTagStore {
    connectionOf(this)
    const prepare = (sql: string) =>
      asCall(() => prepareStatement(connectionOf(this), sql, statementOptions({}, this.#options), true))
    if (maxSize === undefined) return new TagStore<DatabaseSync>(this, prepare, 1000)
    const message = 'The "maxSize" argument must be a positive integer.'
    if (typeof maxSize !== "number") throw invalidArgumentType(message)
    if (maxSize < 1 || (maxSize | 0) !== maxSize) throw outOfRange(message)
    return new TagStore<DatabaseSync>(this, prepare, maxSize)
  }

  /** The absolute path of a database's file; `null` for an in-memory database. @param dbName "main" by default */
  location(dbName?: string): string | null {
    const connection = connectionOf(this)
    return fileOf(connection, dbName === undefined ? "main" : requireString(dbName, "dbName"))
  }

  function(name: string, options: FunctionOptions, fn: (...args: SQLOutputValue[]) => SQLInputValue): void
  function(name: string, fn: (...args: SQLOutputValue[]) => SQLInputValue): void
  /** Makes a JavaScript function callable in SQL. The SQL function takes `fn.length` arguments, unless `varargs` is set. */
  function(...parameters: unknown[]): void {
    const connection = connectionOf(this)
    const name = requireString(parameters[0], "name")
    const given = parameters.length < 3 ? {} : requireObject(parameters[1], "options")
    const readBigInts = readBoolean(given, "useBigIntArguments", false)
    const varargs = readBoolean(given, "varargs", false)
    const deterministic = readBoolean(given, "deterministic", false)
    const directOnly = readBoolean(given, "directOnly", false)
    const called = requireFunction(parameters[parameters.length < 3 ? 1 : 2], "function")
    const count = varargs ? -1 : called.length
    connectionOf(this)
    definerOf(connection.engine)(connection, name, count, { readBigInts, deterministic, directOnly }, called)
  }

  aggregate(name: string, options: AggregateOptions): void
  aggregate<T extends SQLInputValue>(name: string, options: AggregateOptions<T>): void
  /** Creates an aggregate or, with `inverse`, a window function from JavaScript functions. */
  aggregate(...parameters: unknown[]): void {
    const connection = connectionOf(this)
    const name = requireString(parameters[0], "name")
    const given = requireObject(parameters[1], "options")
    const { start } = given
    if (start === undefined) {
      throw invalidArgumentType('The "options.start" argument must be a function or a primitive value.')
    }
    const step = requireFunction(given["step"], "options.step")
    const { result } = given
    const readBigInts = readBoolean(given, "useBigIntArguments", false)
    const varargs = readBoolean(given, "varargs", false)
    const directOnly = readBoolean(given, "directOnly", false)
    const inverse = readFunction(given, "inverse", undefined)
    // The first argument of both callbacks is the accumulator, which is hidden from SQL.
    const count = varargs ? -1 : Math.max(step.length - 1, (inverse?.length ?? 0) - 1, 0)
    connectionOf(this)
    const callbacks = { start, step, inverse, result: isCallable(result) ? result : undefined }
    const definition = { readBigInts, deterministic: false, directOnly }
    definerOf(connection.engine)(connection, name, count, definition, callbacks)
  }

  setAuthorizer(callback: Authorizer | null): void {
    const connection = connectionOf(this)
    if (callback !== null && !isCallable(callback)) {
      throw invalidArgumentType('The "callback" argument must be a function or null.')
    }
    setAuthorizer(connection, callback ?? undefined)
  }

  /** Sets whether SQL that could damage the file is forbidden, such as writes to the schema table or to the pages themselves. */
  enableDefensive(active: boolean): void {
    const connection = connectionOf(this)
    connection.setFlag(flag.defensive, requireBoolean(active, "active"))
    connection.expireStatements()
  }

  enableLoadExtension(allow: boolean): void {
    connectionOf(this)
    if (requireBoolean(allow, "allow") && !this.#options.allowExtension) {
      throw invalidState("Cannot enable extension loading because it was disabled at database creation.")
    }
    this.#allowsExtensions = allow
  }

  /** Always throws: native extensions cannot be loaded into WebAssembly. */
  loadExtension(path: string, _entryPoint?: string): void {
    connectionOf(this)
    if (!this.#allowsExtensions) throw invalidState("extension loading is not allowed")
    requireString(path, "path")
    throw notImplemented("loadExtension()", "a native library cannot be loaded into WebAssembly")
  }

  /** Records changes, using a copy of the watched tables' rows. */
  createSession(options?: CreateSessionOptions): Session
  createSession(...parameters: unknown[]): Session {
    const given = optionsAt(parameters, 0)
    const table = readString(given, "table", "")
    const schema = readString(given, "db", "main")
    connectionOf(this)
    return new SessionImplementation(() => connectionOf(this), schema, table === "" ? undefined : table)
  }

  /** Applies the changes that a session recorded. Returns `false`, and changes nothing, if a conflict aborts the operation. */
  applyChangeset(changeset: Uint8Array, options?: ApplyChangesetOptions): boolean {
    const connection = connectionOf(this)
    requireBytes(changeset, "changeset")
    const given = optionsOr(options)
    const onConflict = readFunction(given, "onConflict", undefined)
    const filter = readFunction(given, "filter", undefined)
    connectionOf(this)
    return applyChangeset(connection, changeset, { filter, onConflict })
  }

  /** The database as the bytes of a database file. @param dbName "main" by default */
  serialize(dbName?: string): NodeJS.NonSharedUint8Array {
    const connection = connectionOf(this)
    return serialize(connection, dbName === undefined ? "main" : requireString(dbName, "dbName"))
  }

  /** Replaces an in-memory database with bytes from `serialize`. Finalises all statements first. */
  deserialize(buffer: Uint8Array, options?: DeserializeOptions): void {
    const connection = connectionOf(this)
    const { byteLength } = requireBytes(buffer, "buffer")
    if (byteLength === 0) throw invalidArgumentValue('The "buffer" argument must not be empty.')
    const name = readString(optionsOr(options), "dbName", "main")
    // Reading the option may run code that closes the database or detaches the buffer.
    connectionOf(this)
    if (buffer.byteLength !== byteLength) throw invalidState('The "buffer" argument was resized.')
    if (connection.callbackDepth > 0) throw invalidState("database cannot be deserialized while in a callback")
    if (fileOf(connection, name) !== null) {
      throw notImplemented("deserialize()", "a database file cannot be replaced with an in-memory database")
    }
    deserialize(connection, name, buffer)
  }
}

const fileOf = (connection: Connection, name: string): string | null =>
  connection.unauthorized(() => {
    const wanted = name.toLowerCase()
    const file = query(connection, "PRAGMA database_list").find(([, schema]) => String(schema).toLowerCase() === wanted)?.[2]
    return typeof file === "string" && file !== "" ? file : null
  })

/** Created by `DatabaseSync.prototype.createTagStore`, never with `new`. */
export interface SQLTagStore extends Public<TagStore<DatabaseSync>> {}

/** A connection to a database in a file or in memory. */
export interface DatabaseSync extends Public<Database> {}

export const DatabaseSync: {
  new (path: PathLike, options?: DatabaseSyncOptions): DatabaseSync
  readonly prototype: DatabaseSync
} = publish(Database, "DatabaseSync", [Symbol.dispose, "isOpen", "limits"])
