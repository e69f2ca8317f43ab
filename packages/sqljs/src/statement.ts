/** `StatementSync`: a prepared statement, with the names and results of `node:sqlite`. */

import { asCall } from "./calls.js"
import { describeColumns, type StatementColumnMetadata } from "./columns.js"
import type { Connection } from "./connection.js"
import { invalidArgumentValue, invalidState, notImplemented, SQLITE_OK, SQLITE_ROW, sqliteErrorWithMessage } from "./errors.js"
import { expandSql } from "./expanded-sql.js"
import { StatementSyncIterator } from "./iterator.js"
import { requireBoolean, requireString } from "./options.js"
import { Parameters } from "./parameters.js"
import { ownGetters, type Public, publishInternal } from "./public-class.js"
import { value as cell, counterNames, database as databaseFields, statement as fields } from "./structures.js"
import { readValue, type SQLInputValue, type SQLOutputValue, toNumber } from "./values.js"

type Row = Record<string, SQLOutputValue>
type Named = Record<string, SQLInputValue>

/** How a statement reads rows and takes parameters. The defaults are the database's options. */
export interface PrepareOptions {
  /** Reads INTEGER values as BigInt. */
  readBigInts?: boolean | undefined
  returnArrays?: boolean | undefined
  /** On by default in a database. */
  allowBareNamedParameters?: boolean | undefined
  allowUnknownNamedParameters?: boolean | undefined
}

export type StatementOptions = Record<keyof PrepareOptions, boolean>

/** The changes that a statement made. The values are BigInts if the statement reads BigInts. */
export interface StatementResultingChanges {
  changes: number | bigint
  lastInsertRowid: number | bigint
}

/** How many statements stay compiled on a connection. Garbage collection finalises none during a synchronous loop. */
const mostCompiled = 2000
let uses = 0

/**
 * A statement's handle, separate from the public object so that collecting that object finalises the handle. Above a limit,
 * the least recently used statements are released. A released statement keeps its SQL and bound values, and is compiled again
 * on its next use.
 */
class Handle {
  /** Stays open while one of its statements is in use. */
  readonly connection: Connection
  pointer: number
  generation = 0
  /** Whether the statement has been stepped and not reset. */
  isRunning = false
  lastUse = 0
  /** The compiled statement's parameters, once they are known. */
  parameters: Parameters | undefined
  /** The column names, and SQLite's counter of its own compilations at the time when the names were read. */
  #named: { readonly names: readonly string[]; readonly reprepared: number } | undefined
  #executing = false
  readonly #finalizations: number
  #released: { readonly sql: string; readonly values: readonly SQLOutputValue[]; readonly counters: Int32Array } | undefined
  /** The number of the authorizer that checked the statement. */
  #authorized: number

  constructor(connection: Connection, pointer: number) {
    this.connection = connection
    this.pointer = pointer
    this.#authorized = connection.authorizerCount
    this.#finalizations = connection.finalizations
    this.#keep()
  }

  #keep(): void {
    const { statements } = this.connection
    this.lastUse = ++uses
    statements.add(this)
    if (statements.size <= mostCompiled) return
    const byUse = [...statements].filter((statement) => statement !== this).sort((one, other) => one.lastUse - other.lastUse)
    for (const statement of byUse.slice(0, mostCompiled / 2)) statement.release()
  }

  get isFinalized(): boolean {
    return this.pointer === 0 && (this.#released === undefined || this.#finalizations !== this.connection.finalizations)
  }

  finalize(): void {
    this.#released = undefined
    if (this.pointer === 0) return
    const { pointer } = this
    this.pointer = 0
    this.parameters = undefined
    this.#named = undefined
    this.connection.statements.delete(this)
    if (!this.connection.engine.hasStopped) this.connection.engine.call.sqlite3_finalize(pointer)
  }

  release(): void {
    if (this.pointer === 0 || this.isRunning || this.#executing) return
    const { engine } = this.connection
    const sql = engine.memory.text(engine.call.sqlite3_sql(this.pointer))
    const variables = engine.memory.int(this.pointer + fields.variables)
    const count = engine.memory.int(this.pointer + fields.variableCount) & 0xffff
    const values = Array.from({ length: count }, (_, index) => readValue(engine, variables + index * cell.size, true))
    const counters = this.counters().slice()
    this.finalize()
    this.#released = { sql, values, counters }
  }

  /** Compiles a released statement. The authorizer is called only if it has changed, as in SQLite. */
  #recompile(): void {
    if (this.#released === undefined) return
    const { sql, values, counters } = this.#released
    const { connection } = this
    const isAsked = this.#authorized === connection.authorizerCount
    this.pointer = isAsked ? connection.unauthorized(() => connection.prepare(sql)) : connection.prepare(sql)
    this.#authorized = connection.authorizerCount
    this.#released = undefined
    this.#keep()
    this.counters().set(counters)
    if (values.length > 0) this.bindings().bindInOrder(values)
  }

  /** SQLite's counters of what this compiled statement did. Do not store the view: it is replaced when the memory grows. */
  counters(): Int32Array {
    const first = (this.pointer + fields.counters) >> 2
    return this.connection.engine.memory.ints.subarray(first, first + counterNames.length)
  }

  bindings(): Parameters {
    this.parameters ??= new Parameters(this.connection, this.pointer)
    return this.parameters
  }

  columnNames(): readonly string[] {
    const { call, memory } = this.connection.engine
    const reprepared = memory.int(this.pointer + fields.reprepared)
    if (this.#named?.reprepared === reprepared) return this.#named.names
    const names = Array.from({ length: call.sqlite3_column_count(this.pointer) }, (_, column) =>
      memory.text(call.sqlite3_column_name(this.pointer, column)),
    )
    this.#named = { names, reprepared }
    return names
  }

  /** Compiles the statement again if it was released. Throws if it is finalised. */
  requireLive(): void {
    this.connection.engine.requireRunning()
    if (this.isFinalized) throw invalidState("statement has been finalized")
    if (this.pointer === 0) this.#recompile()
    this.lastUse = ++uses
  }

  /** Throws if the statement is finalised or already running, because stepping or resetting it then would corrupt it. */
  requireIdle(): void {
    this.requireLive()
    if (this.#executing) throw invalidState("statement is already being executed")
  }

  /** Runs `use`, which may call back into JavaScript, with the statement locked against any other use. */
  whileExecuting<A>(use: () => A): A {
    this.#executing = true
    try {
      return use()
    } finally {
      this.#executing = false
    }
  }

  step(): number {
    const { call } = this.connection.engine
    this.isRunning = true
    return this.whileExecuting(() => call.sqlite3_step(this.pointer))
  }

  /** Returns the result code, which may report an error in the run that ends here, such as in its commit. */
  reset(): number {
    this.isRunning = false
    return this.pointer === 0 ? SQLITE_OK : this.connection.engine.call.sqlite3_reset(this.pointer)
  }
}

const collected = new FinalizationRegistry<Handle>((handle) => asCall(() => handle.finalize()))

let handleOf: (statement: Statement) => Handle

/** The parameters of a statement; `undefined` if the statement is finalised. */
export const parametersOf = (statement: Statement): Parameters | undefined => {
  const handle = handleOf(statement)
  if (handle.isFinalized) return undefined
  handle.requireLive()
  return handle.bindings()
}

/**
 * Prepares `sql` on a connection. Throws SQLite's error if it does not compile.
 *
 * @param isPositional whether to bind all values in order. Objects are then refused: their members are not named parameters
 */
export const prepareStatement = (
  connection: Connection,
  sql: string,
  options: StatementOptions,
  isPositional = false,
): Statement => {
  const pointer = connection.prepare(sql)
  if (pointer === 0) throw invalidArgumentValue("The SQL query contains no statements.")
  return new Statement(new Handle(connection, pointer), options, isPositional)
}

export class Statement {
  readonly #handle: Handle
  readonly #options: StatementOptions
  readonly #isPositional: boolean

  constructor(handle: Handle, options: StatementOptions, isPositional: boolean) {
    this.#handle = handle
    this.#options = options
    this.#isPositional = isPositional
    ownGetters(this, Statement.prototype, ["sourceSQL", "expandedSQL"])
    collected.register(this, handle)
  }

  static {
    handleOf = (statement) => statement.#handle
  }

  all(...anonymousParameters: SQLInputValue[]): Row[]
  all(namedParameters: Named, ...anonymousParameters: SQLInputValue[]): Row[]
  /** Runs the statement and returns every row. */
  all(...parameters: unknown[]): Row[] {
    this.#start(parameters)
    try {
      const rows: Row[] = []
      for (let row = this.#step(); row !== undefined; row = this.#step()) rows.push(row)
      return rows
    } finally {
      this.#handle.reset()
    }
  }

  get(...anonymousParameters: SQLInputValue[]): Row | undefined
  get(namedParameters: Named, ...anonymousParameters: SQLInputValue[]): Row | undefined
  /** Runs the statement up to its first row. Returns `undefined` if there is no row. */
  get(...parameters: unknown[]): Row | undefined {
    this.#start(parameters)
    let row: Row | undefined
    try {
      row = this.#step()
    } catch (thrown) {
      this.#handle.reset()
      throw thrown
    }
    // A statement that writes and has rows, such as INSERT … RETURNING, commits here.
    this.#handle.connection.check(this.#handle.reset())
    return row
  }

  run(...anonymousParameters: SQLInputValue[]): StatementResultingChanges
  run(namedParameters: Named, ...anonymousParameters: SQLInputValue[]): StatementResultingChanges
  /** Runs the statement and returns its changes. Rows are ignored. */
  run(...parameters: unknown[]): StatementResultingChanges {
    this.#start(parameters)
    const { engine, handle } = this.#handle.connection
    this.#handle.step()
    this.#handle.connection.check(this.#handle.reset())
    const changes = engine.memory.long(handle + databaseFields.changes)
    const lastInsertRowid = engine.memory.long(handle + databaseFields.lastRowid)
    return this.#options.readBigInts
      ? { changes, lastInsertRowid }
      : { changes: toNumber(changes), lastInsertRowid: toNumber(lastInsertRowid) }
  }

  iterate(...anonymousParameters: SQLInputValue[]): NodeJS.Iterator<Row>
  iterate(namedParameters: Named, ...anonymousParameters: SQLInputValue[]): NodeJS.Iterator<Row>
  /** Runs the statement. The iterator reads each row on demand. */
  iterate(...parameters: unknown[]): NodeJS.Iterator<Row> {
    this.#start(parameters)
    return new StatementSyncIterator(this.#handle, () => this.#step())
  }

  /** The origins of the result columns. Their fields are `null` for a column that does not come from a table. */
  columns(): StatementColumnMetadata[] {
    this.#handle.requireLive()
    return describeColumns(this.#handle.connection, this.#handle.pointer, this.#handle.columnNames())
  }

  /**
   * How often SQLite did something for this statement since `resetStats`.
   *
   * @param counter "run", "vmStep", "fullscanStep", "sort", "autoindex", "reprepare", "filterHit" or "filterMiss"
   */
  stat(counter: string): number {
    this.#handle.requireLive()
    const name = requireString(counter, "counter")
    if (name === "memused") throw notImplemented('stat("memused")', "the binary does not export sqlite3_stmt_status")
    const count = this.#handle.counters()[counterNames.indexOf(name)]
    if (count === undefined) throw invalidArgumentValue('The "counter" argument is not a valid statistic name.')
    return count >>> 0
  }

  /** Sets every counter that `stat` returns to zero. */
  resetStats(): void {
    this.#handle.requireLive()
    this.#handle.counters().fill(0)
  }

  /** Finalises the statement, which cannot be used any more. */
  close(): void {
    this.#handle.requireIdle()
    this.#handle.finalize()
  }

  [Symbol.dispose](): void {
    if (!this.#handle.isFinalized) this.close()
  }

  /** The SQL as it was passed to `prepare`. */
  get sourceSQL(): string {
    this.#handle.requireLive()
    const { engine } = this.#handle.connection
    return engine.memory.text(engine.call.sqlite3_sql(this.#handle.pointer))
  }

  /** The SQL with the last bound values in place of its parameters. */
  get expandedSQL(): string {
    this.#handle.requireLive()
    const expanded = expandSql(this.#handle.connection, this.#handle.pointer, this.sourceSQL, this.#handle.bindings())
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
    this.#handle.requireLive()
    this.#options[option] = requireBoolean(enabled, argument)
  }

  #start(parameters: readonly unknown[]): void {
    this.#handle.requireIdle()
    this.#handle.generation++
    this.#handle.connection.check(this.#handle.reset())
    if (parameters.length === 0 && this.#handle.parameters === undefined) return
    const { allowBareNamedParameters, allowUnknownNamedParameters } = this.#options
    // A named parameter's getter may run any code.
    this.#handle.whileExecuting(() =>
      this.#isPositional
        ? this.#handle.bindings().bindInOrder(parameters)
        : this.#handle.bindings().bindAll(parameters, allowBareNamedParameters, allowUnknownNamedParameters),
    )
  }

  /** Returns the next row, in the form that the options request; `undefined` after the last row. */
  #step(): Row | undefined {
    const { engine } = this.#handle.connection
    const code = this.#handle.step()
    this.#handle.connection.check(code)
    if (code !== SQLITE_ROW) return undefined
    const names = this.#handle.columnNames()
    const first = engine.memory.int(this.#handle.pointer + fields.row)
    const read = (column: number) => readValue(engine, first + column * cell.size, this.#options.readBigInts)
    // Safe: the types of node:sqlite also declare a record here, although the value is an array.
    if (this.#options.returnArrays) return names.map((_, column) => read(column)) as unknown as Row
    const row: Row = Object.create(null)
    for (let column = 0; column < names.length; column++) row[names[column] ?? ""] = read(column)
    return row
  }
}

/** A prepared statement. Created by `DatabaseSync.prototype.prepare`, never with `new`. */
export interface StatementSync extends Public<Statement> {}
export const StatementSync: (abstract new () => StatementSync) & { readonly prototype: StatementSync } = publishInternal(
  Statement,
  "StatementSync",
)
