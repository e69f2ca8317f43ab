/** The connection that `DatabaseSync`, `StatementSync` and callbacks share. None keeps another alive longer than in Node.js. */
import { asCall } from "./calls.js"
import type { Engine } from "./engine.js"
import { SQLITE_BUSY, SQLITE_DONE, SQLITE_OK, SQLITE_PERM, SQLITE_ROW, sqliteError } from "./errors.js"
import { database as fields, schema, statementBit, statement as statementFields } from "./structures.js"

/** Returns SQLITE_OK, SQLITE_DENY or SQLITE_IGNORE for an action and its four parameters. */
export type Authorizer = (
  actionCode: number,
  arg1: string | null,
  arg2: string | null,
  dbName: string | null,
  triggerOrView: string | null,
) => number

interface CompiledStatement {
  readonly lastUse: number
  finalize(): void
  release(): void
}

/** Closes a connection that is no longer referenced, as Node.js does. */
const unreachable = new FinalizationRegistry<{ readonly engine: Engine; readonly handle: number }>(({ engine, handle }) =>
  asCall(() => {
    if (!engine.hasStopped) engine.call.sqlite3_close_v2(handle)
  }),
)

export class Connection {
  readonly engine: Engine
  /** 0 once the connection is closed. */
  handle: number
  readonly statements = new Set<CompiledStatement>()
  /** Incremented when all statements, including cached ones, are finalised. */
  finalizations = 0
  authorizer: Authorizer | undefined
  /** Incremented whenever an authorizer is set. */
  authorizerCount = 0
  /** The depth of callbacks from SQLite into JavaScript. */
  callbackDepth = 0
  #thrown: { readonly error: unknown } | undefined

  constructor(engine: Engine, handle: number) {
    this.engine = engine
    this.handle = handle
    unreachable.register(this, { engine, handle }, this)
  }

  /** Runs a callback from SQLite. Stores its error. Returns `failed()` after an error, and instead of any later callback. */
  runCallback<A>(callback: () => A, failed: () => A): A {
    if (this.#thrown !== undefined) return failed()
    this.callbackDepth++
    try {
      return callback()
    } catch (thrown) {
      this.#thrown ??= { error: thrown }
      return failed()
    } finally {
      this.callbackDepth--
    }
  }

  /** Throws a callback's error if there is one. Otherwise throws SQLite's own error, unless the code reports success. */
  check(code: number): void {
    if (this.#thrown !== undefined) {
      const { error } = this.#thrown
      this.#thrown = undefined
      throw error
    }
    if (code === SQLITE_OK || code === SQLITE_ROW || code === SQLITE_DONE) return
    throw this.lastError()
  }

  /** SQLite's latest error on this connection, with its extended code. */
  lastError(): Error {
    const { engine, handle } = this
    const errcode = engine.memory.int(handle + fields.errorCode) & 0xffff
    const message = engine.memory.text(engine.call.sqlite3_errmsg(handle))
    const refusal = errcode === SQLITE_BUSY || errcode === SQLITE_PERM ? engine.system.takeRefusal() : undefined
    return sqliteError(errcode, refusal === undefined ? message : `${message}: ${refusal}`)
  }

  exec(sql: string): void {
    this.check(this.engine.withText(sql, (pointer) => this.engine.call.sqlite3_exec(this.handle, pointer, 0, 0, 0)))
  }

  /** Returns a statement handle; 0 if the SQL contains no statement. */
  prepare(sql: string): number {
    const { engine, handle } = this
    return engine.withResult((cell) => {
      const code = engine.withText(sql, (pointer) => engine.call.sqlite3_prepare_v2(handle, pointer, -1, cell, 0))
      const statement = engine.memory.int(cell)
      // SQLite may prepare a statement although a callback threw an error, which `check` throws.
      if (this.#thrown !== undefined) engine.call.sqlite3_finalize(statement)
      this.check(code)
      return statement
    })
  }

  /** Prepares a statement without running it. Throws if SQLite, or the authorizer, refuses the statement. */
  tryPrepare(sql: string): void {
    this.engine.call.sqlite3_finalize(this.prepare(sql))
  }

  /** The names of this connection's databases, and their entries in SQLite's memory. */
  databases(): { readonly name: string; readonly entry: number }[] {
    const { memory } = this.engine
    const first = memory.int(this.handle + fields.schemas)
    return Array.from({ length: memory.int(this.handle + fields.schemaCount) }, (_, index) => {
      const entry = first + index * schema.entrySize
      return { name: memory.text(memory.int(entry + schema.entryName)), entry }
    })
  }

  /** Runs `use` without the authorizer, for this package's own statements. */
  unauthorized<A>(use: () => A): A {
    const { memory } = this.engine
    const at = this.handle + fields.authorizer
    const authorizer = memory.int(at)
    memory.setInt(at, 0)
    try {
      return use()
    } finally {
      memory.setInt(at, authorizer)
    }
  }

  setFlag(bit: number, on: boolean): void {
    const { memory } = this.engine
    const at = this.handle + fields.flags
    memory.setInt(at, on ? memory.int(at) | bit : memory.int(at) & ~bit)
  }

  /** Makes SQLite prepare existing statements again at their next step, as it does after other changes to a connection. */
  expireStatements(): void {
    const { memory } = this.engine
    for (let at = memory.int(this.handle + fields.firstStatement); at !== 0; at = memory.int(at + statementFields.next)) {
      const bits = memory.int(at + statementFields.bits) & ~statementBit.expired
      memory.setInt(at + statementFields.bits, bits | statementBit.prepareAgain)
    }
  }

  finalizeStatements(): void {
    this.finalizations++
    for (const statement of this.statements) statement.finalize()
    this.statements.clear()
  }

  close(): void {
    if (this.handle === 0) return
    this.finalizeStatements()
    const { handle } = this
    this.handle = 0
    unreachable.unregister(this)
    if (!this.engine.hasStopped) this.engine.call.sqlite3_close_v2(handle)
  }
}

/** Opens a path, ":memory:", "" (a temporary file) or a "file:" URI. Throws SQLite's error if the database cannot be opened. */
export const openConnection = (engine: Engine, name: string): Connection =>
  engine.withResult((cell) => {
    const code = engine.withText(name, (pointer) => engine.call.sqlite3_open(pointer, cell))
    const connection = new Connection(engine, engine.memory.int(cell))
    if (code === SQLITE_OK) return connection
    const error = connection.lastError()
    connection.close()
    throw error
  })

export const usingConnection = <A>(engine: Engine, name: string, use: (connection: Connection) => A): A => {
  const connection = openConnection(engine, name)
  try {
    return use(connection)
  } finally {
    connection.close()
  }
}

/** Starts to copy a database to a database of another connection. Returns the backup handle, or throws SQLite's error. */
export const beginBackup = (from: Connection, fromName: string, to: Connection, toName: string): number => {
  const { engine } = from
  const handle = engine.withText(toName, (target) =>
    engine.withText(fromName, (source) => engine.call.sqlite3_backup_init(to.handle, target, from.handle, source)),
  )
  if (handle === 0) throw to.lastError()
  return handle
}
