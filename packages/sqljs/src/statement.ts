/** `StatementSync`: a prepared statement, with the names and results of `node:sqlite`. */

import { describeColumns, type StatementColumnMetadata } from "./columns.js"
import type { Connection } from "./connection.js"
import {
  illegalConstructor,
  invalidArgumentType,
  invalidArgumentValue,
  invalidState,
  SQLITE_DONE,
  SQLITE_OK,
  SQLITE_ROW,
  sqliteErrorWithMessage,
} from "./errors.js"
import { expandSql } from "./expanded-sql.js"
import { iteratorOver } from "./iterator.js"
import { Parameters } from "./parameters.js"
import { construction, ownGetters, type Public, publish } from "./public-class.js"
import { value as cell, database as databaseFields, statement as fields } from "./structures.js"
import { readValue, type SQLInputValue, type SQLOutputValue, toNumber } from "./values.js"

type Row = Record<string, SQLOutputValue>
type Named = Record<string, SQLInputValue>

export interface PrepareOptions {
  readBigInts?: boolean | undefined
  returnArrays?: boolean | undefined
  allowBareNamedParameters?: boolean | undefined
  allowUnknownNamedParameters?: boolean | undefined
}

/** How a statement reads rows and takes parameters; each starts as the database has it. */
export interface StatementOptions {
  readBigInts: boolean
  returnArrays: boolean
  allowBareNamedParameters: boolean
  allowUnknownNamedParameters: boolean
}

/** What a statement changed. BigInts if the statement reads BigInts. */
export interface StatementResultingChanges {
  changes: number | bigint
  lastInsertRowid: number | bigint
}

/**
 * The handle of a statement, apart from the object the program sees, so that
 * the handle is finalised when that object is collected.
 */
class Handle {
  pointer: number
  generation = 0
  #executing = false
  readonly connection: Connection

  constructor(connection: Connection, pointer: number) {
    this.connection = connection
    this.pointer = pointer
    if (pointer !== 0) connection.statements.add(this)
  }

  finalize(): void {
    if (this.pointer === 0) return
    const { pointer } = this
    this.pointer = 0
    this.connection.statements.delete(this)
    this.connection.engine.call.sqlite3_finalize(pointer)
  }

  /** Throws if the statement is finalised, or runs already: stepping or resetting it then would destroy its machine. */
  requireIdle(): void {
    if (this.pointer === 0) throw invalidState("statement has been finalized")
    if (this.#executing) throw invalidState("statement is already being executed")
  }

  /** Runs `use`, which may lead back into JavaScript, with the statement closed to any other use. */
  whileExecuting<A>(use: () => A): A {
    this.#executing = true
    try {
      return use()
    } finally {
      this.#executing = false
    }
  }

  reset(): number {
    this.generation++
    return this.connection.engine.call.sqlite3_reset(this.pointer)
  }
}

const collected = new FinalizationRegistry<Handle>((handle) => {
  if (!handle.connection.engine.hasStopped) handle.finalize()
})

const { build, parts } = construction<{ connection: Connection; pointer: number; options: StatementOptions }>()

let make: () => Statement
let positional: <A>(statement: object, use: () => A) => A
let describe: (statement: object) => { readonly finalized: boolean; readonly parameters: Parameters }

/** Prepares `sql` on a connection. Throws SQLite's error if it does not compile. */
export const prepareStatement = (connection: Connection, sql: string, options: StatementOptions): Statement => {
  const pointer = connection.prepare(sql)
  if (pointer === 0) throw invalidArgumentValue("The SQL query contains no statements.")
  return build({ connection, pointer, options }, make)
}

/** Uses a statement so that the values given are bound in order, objects too, which are then refused. */
export const bindingInOrder = <A>(statement: StatementSync, use: (statement: StatementSync) => A): A =>
  positional(statement, () => use(statement))

/** Whether a statement is finalised, and what it takes. */
export const describeStatement = (statement: StatementSync) => describe(statement)

class Statement {
  readonly #handle: Handle
  readonly #options: StatementOptions
  /** Keeps the database open while one of its statements is in use. */
  readonly #connection: Connection
  #parameters: Parameters | undefined
  #positional = false
  #columnNames: readonly string[] | undefined
  /** How often SQLite had prepared the statement again when the names were read. */
  #namesFrom = -1

  private constructor() {
    const { connection, pointer, options } = parts()
    this.#connection = connection
    this.#handle = new Handle(connection, pointer)
    this.#options = options
    ownGetters(this, Statement.prototype, ["sourceSQL", "expandedSQL"])
    collected.register(this, this.#handle)
  }

  static {
    make = () => new Statement()
    positional = (statement, use) => {
      if (!(#positional in statement)) throw new TypeError("Illegal invocation")
      statement.#positional = true
      try {
        return use()
      } finally {
        statement.#positional = false
      }
    }
    describe = (statement) => {
      if (!(#handle in statement)) throw new TypeError("Illegal invocation")
      return { finalized: statement.#handle.pointer === 0, parameters: statement.#bindings() }
    }
  }

  all(...anonymousParameters: SQLInputValue[]): Row[]
  all(namedParameters: Named, ...anonymousParameters: SQLInputValue[]): Row[]
  /** Runs the statement and answers every row. */
  all(...parameters: unknown[]): Row[] {
    this.#start(parameters)
    try {
      const rows: Row[] = []
      for (let row = this.#step(); row !== undefined; row = this.#step()) rows.push(row)
      return rows
    } finally {
      this.#reset()
    }
  }

  get(...anonymousParameters: SQLInputValue[]): Row | undefined
  get(namedParameters: Named, ...anonymousParameters: SQLInputValue[]): Row | undefined
  /** Runs the statement to its first row; `undefined` if there is none. */
  get(...parameters: unknown[]): Row | undefined {
    this.#start(parameters)
    let row: Row | undefined
    try {
      row = this.#step()
    } catch (thrown) {
      this.#reset()
      throw thrown
    }
    // A statement that writes and has rows, as INSERT … RETURNING, commits here.
    this.#connection.check(this.#reset())
    return row
  }

  run(...anonymousParameters: SQLInputValue[]): StatementResultingChanges
  run(namedParameters: Named, ...anonymousParameters: SQLInputValue[]): StatementResultingChanges
  /** Runs the statement and answers what it changed. Rows are passed over. */
  run(...parameters: unknown[]): StatementResultingChanges {
    this.#start(parameters)
    const { engine, handle } = this.#connection
    this.#handle.whileExecuting(() => engine.call.sqlite3_step(this.#handle.pointer))
    this.#connection.check(engine.call.sqlite3_reset(this.#handle.pointer))
    const changes = engine.memory.long(handle + databaseFields.changes)
    const lastInsertRowid = engine.memory.long(handle + databaseFields.lastRowid)
    return this.#options.readBigInts
      ? { changes, lastInsertRowid }
      : { changes: toNumber(changes), lastInsertRowid: toNumber(lastInsertRowid) }
  }

  iterate(...anonymousParameters: SQLInputValue[]): NodeJS.Iterator<Row>
  iterate(namedParameters: Named, ...anonymousParameters: SQLInputValue[]): NodeJS.Iterator<Row>
  /** Runs the statement; each row is read when the iterator is asked for it. */
  iterate(...parameters: unknown[]): NodeJS.Iterator<Row> {
    this.#start(parameters)
    return iteratorOver({
      step: () => this.#step(),
      reset: () => this.#reset(),
      generation: () => this.#handle.generation,
      requireIdle: () => this.#handle.requireIdle(),
    })
  }

  /** Where each column of the result comes from; `null` where it is not a column of a table. */
  columns(): StatementColumnMetadata[] {
    this.#requireLive()
    return describeColumns(this.#connection, this.#handle.pointer, this.#names())
  }

  /** The SQL as it was given to `prepare`. */
  get sourceSQL(): string {
    this.#requireLive()
    const { engine } = this.#connection
    return engine.memory.text(engine.call.sqlite3_sql(this.#handle.pointer))
  }

  /** The SQL with the values bound last in the place of its parameters. */
  get expandedSQL(): string {
    this.#requireLive()
    const expanded = expandSql(this.#connection, this.#handle.pointer, this.sourceSQL, this.#bindings())
    if (expanded === undefined) throw sqliteErrorWithMessage("Expanded SQL text would exceed configured limits")
    return expanded
  }

  setAllowBareNamedParameters(enabled: boolean): void {
    this.#setOption("allowBareNamedParameters", enabled, "allowBareNamedParameters")
  }

  setAllowUnknownNamedParameters(enabled: boolean): void {
    this.#setOption("allowUnknownNamedParameters", enabled, "enabled")
  }

  setReadBigInts(enabled: boolean): void {
    this.#setOption("readBigInts", enabled, "readBigInts")
  }

  setReturnArrays(enabled: boolean): void {
    this.#setOption("returnArrays", enabled, "returnArrays")
  }

  #setOption(option: keyof StatementOptions, enabled: unknown, argument: string): void {
    this.#requireLive()
    if (typeof enabled !== "boolean") throw invalidArgumentType(`The "${argument}" argument must be a boolean.`)
    this.#options[option] = enabled
  }

  #requireLive(): void {
    if (this.#handle.pointer === 0) throw invalidState("statement has been finalized")
  }

  #bindings(): Parameters {
    this.#parameters ??= new Parameters(this.#connection, this.#handle.pointer)
    return this.#parameters
  }

  #start(parameters: readonly unknown[]): void {
    this.#handle.requireIdle()
    this.#connection.check(this.#handle.reset())
    if (parameters.length === 0 && this.#parameters === undefined) return
    const { allowBareNamedParameters, allowUnknownNamedParameters } = this.#options
    // A getter of a named parameter may be any code.
    this.#handle.whileExecuting(() =>
      this.#positional
        ? this.#bindings().bindInOrder(parameters)
        : this.#bindings().bindAll(parameters, allowBareNamedParameters, allowUnknownNamedParameters),
    )
  }

  /** The next row, as the options ask for it; `undefined` after the last. */
  #step(): Row | undefined {
    const { engine } = this.#connection
    const code = this.#handle.whileExecuting(() => engine.call.sqlite3_step(this.#handle.pointer))
    if (code !== SQLITE_ROW) {
      this.#connection.check(code, SQLITE_DONE)
      return undefined
    }
    if (this.#connection.hasThrown) this.#connection.check(SQLITE_OK)
    const names = this.#names()
    const first = engine.memory.int(this.#handle.pointer + fields.row)
    const read = (column: number) => readValue(engine, first + column * cell.size, this.#options.readBigInts)
    // The types of node:sqlite say record here too; what comes is an array of values.
    if (this.#options.returnArrays) return names.map((_, column) => read(column)) as unknown as Row
    const row: Row = Object.create(null)
    for (let column = 0; column < names.length; column++) row[names[column] ?? ""] = read(column)
    return row
  }

  #names(): readonly string[] {
    const { call, memory } = this.#connection.engine
    const reprepared = memory.int(this.#handle.pointer + fields.reprepared)
    if (this.#columnNames !== undefined && this.#namesFrom === reprepared) return this.#columnNames
    const names = Array.from({ length: call.sqlite3_column_count(this.#handle.pointer) }, (_, column) =>
      memory.text(call.sqlite3_column_name(this.#handle.pointer, column)),
    )
    this.#columnNames = names
    this.#namesFrom = reprepared
    return names
  }

  /** The result code: an error of the run that ends here, as of its commit. */
  #reset(): number {
    return this.#handle.pointer === 0 ? SQLITE_OK : this.#connection.engine.call.sqlite3_reset(this.#handle.pointer)
  }
}

/** A prepared statement. Made by `DatabaseSync.prototype.prepare`, never by `new`. */
export interface StatementSync extends Public<Statement> {}
export const StatementSync: (abstract new () => StatementSync) & { readonly prototype: StatementSync } = publish(
  // The constructor is private: what is published can be named and asked for its instances, not called.
  Statement as unknown as (abstract new () => StatementSync) & { readonly prototype: StatementSync },
  "StatementSync",
  illegalConstructor,
)
