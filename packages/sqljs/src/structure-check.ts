/**
 * Proves `structures.ts` against the running SQLite: each offset must show
 * the value that SQL has just put there. Takes about a millisecond.
 */
import type { Connection } from "./connection.js"
import { SQLITE_ROW } from "./errors.js"
import {
  backup,
  context,
  database,
  flag,
  functionDefinition,
  hash,
  openUriAddress,
  statement,
  value,
  valueFlag,
} from "./structures.js"

/** Where `sqlite3_limit` starts; the last is the depth of the parser. */
const defaultLimits = [1_000_000_000, 1_000_000_000, 2000, 1000, 500, 250_000_000, 1000, 10, 50_000, 32_766, 1000, 0, 2500]

const expect = (holds: boolean, what: string) => {
  if (!holds) throw new Error(`@petstore/sqljs refuses to run: SQLite's ${what} is not where it was expected.`)
}

const checkDatabase = (connection: Connection) => {
  const { engine, handle } = connection
  const { memory, call } = engine
  const at = (offset: number) => memory.int(handle + offset)
  expect(
    defaultLimits.every((limit, index) => at(database.limits + index * 4) === limit),
    "aLimit",
  )
  connection.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE); INSERT INTO t VALUES (77, 'x'), (4294967298, 'y')")
  expect(memory.long(handle + database.lastRowid) === 4294967298n, "lastRowid")
  expect(memory.long(handle + database.changes) === 2n, "nChange")
  engine.withText("INSERT INTO t VALUES (1, 'x')", (sql) => call.sqlite3_exec(handle, sql, 0, 0, 0))
  expect(at(database.errorCode) === 2067, "errCode")
  expect(memory.byte(handle + database.autoCommit) === 1, "autoCommit")
  connection.exec("BEGIN")
  expect(memory.byte(handle + database.autoCommit) === 0, "autoCommit")
  connection.exec("ROLLBACK; PRAGMA foreign_keys = ON")
  expect((at(database.flags) & flag.foreignKeys) !== 0, "flags")
  connection.exec("BEGIN; CREATE TABLE c (p REFERENCES t); PRAGMA defer_foreign_keys = 1; INSERT INTO c VALUES (5)")
  expect(memory.long(handle + database.deferredViolations + 8) === 1n, "nDeferredImmCons")
  connection.exec("ROLLBACK; BEGIN; CREATE TABLE d (p REFERENCES t DEFERRABLE INITIALLY DEFERRED); INSERT INTO d VALUES (5)")
  expect(memory.long(handle + database.deferredViolations) === 1n, "nDeferredCons")
  connection.exec("ROLLBACK")
  connection.setFlag(flag.doubleQuotedInDml, true)
  connection.exec(`SELECT "text"`)
  connection.setFlag(flag.doubleQuotedInDml, false)
  expect(engine.withText(`SELECT "text"`, (sql) => call.sqlite3_exec(handle, sql, 0, 0, 0)) === 1, "flags")
}

const checkStatement = (connection: Connection) => {
  const { engine, handle } = connection
  const { memory, call } = engine
  const prepared = connection.prepare("SELECT b AS name, a, ?1, :foo, $bar FROM t WHERE a > 77")
  const at = (offset: number) => memory.int(prepared + offset)
  expect(memory.int(handle + database.firstStatement) === prepared, "pVdbe")
  expect((at(statement.variableCount) & 0xffff) === 3, "nVar")
  call.sqlite3_bind_double(prepared, 2, 1.25)
  call.sqlite3_bind_int(prepared, 3, 7)
  const variables = at(statement.variables)
  expect(memory.double(variables + value.size) === 1.25 && memory.long(variables + 2 * value.size) === 7n, "aVar")
  const names = at(statement.variableNames)
  expect(memory.int(names + 8) === 1 && memory.text(names + 16) === "?1", "pVList")
  expect(call.sqlite3_step(prepared) === SQLITE_ROW, "step")
  const row = at(statement.row)
  const text = memory.text(memory.int(row + value.text))
  expect(text === "y" && memory.int(row + value.length) === 1 && memory.byte(row + value.encoding) === 1, "pResultRow")
  expect((memory.int(row + value.flags) & valueFlag.text) !== 0, "Mem.flags")
  expect((memory.int(row + value.size + value.flags) & 0x3f) === valueFlag.integer, "Mem.flags")
  expect(memory.long(row + value.size) === 4294967298n, "Mem.u")
  const columns = at(statement.columnNames) + (at(statement.columnCounts) >>> 16) * value.size
  expect(memory.text(memory.int(columns + value.text)) === "TEXT", "aColName")
  call.sqlite3_reset(prepared)
  const before = at(statement.reprepared)
  connection.exec("ALTER TABLE t ADD COLUMN c")
  call.sqlite3_step(prepared)
  expect(at(statement.reprepared) === before + 1, "aCounter")
  call.sqlite3_finalize(prepared)
}

const checkCallbacks = (connection: Connection) => {
  const { engine, handle } = connection
  const { memory, call } = engine
  const seen: string[] = []
  const authorize = engine.functionPointer("iiiiiii", (argument: number, _action: number) => {
    seen.push(`authorizer ${argument}`)
    return 0
  })
  const step = engine.functionPointer("viii", (cell: number) => {
    const definition = memory.int(cell + context.definition)
    seen.push(`function ${memory.int(definition + functionDefinition.userData)}`)
    call.sqlite3_result_null(cell)
  })
  engine.withText("probe", (name) => call.sqlite3_create_function_v2(handle, name, 0, 1, 4711, step, 0, 0, 0))
  memory.setInt(handle + database.authorizer, authorize)
  memory.setInt(handle + database.authorizerArgument, 4712)
  connection.exec("SELECT probe()")
  memory.setInt(handle + database.authorizer, 0)
  expect(seen.includes("authorizer 4712"), "xAuth")
  expect(seen.includes("function 4711"), "FuncDef.pUserData")
  const element = memory.int(handle + database.functions + hash.first)
  const definitions: number[] = []
  for (let at = element; at !== 0; at = memory.int(at + hash.elementNext)) {
    definitions.push(memory.int(at + hash.elementData))
  }
  expect(
    definitions.some(
      (at) => memory.int(at + functionDefinition.step) === step && memory.int(at + functionDefinition.userData) === 4711,
    ),
    "aFunc",
  )
}

const checkBackup = (connection: Connection, target: Connection) => {
  const { memory, call } = connection.engine
  const job = connection.engine.withText("main", (name) => call.sqlite3_backup_init(target.handle, name, connection.handle, name))
  call.sqlite3_backup_step(job, 1)
  const [remaining, count] = [memory.int(job + backup.remaining), memory.int(job + backup.pageCount)]
  call.sqlite3_backup_finish(job)
  expect(count === 3 && remaining === 2, "sqlite3_backup")
}

/** Throws unless every offset holds. `open` opens a connection that nothing else uses. */
export const checkStructures = (open: (name: string) => Connection): void => {
  const connection = open(":memory:")
  const other = open(":memory:")
  checkDatabase(connection)
  checkStatement(connection)
  checkCallbacks(connection)
  checkBackup(connection, other)
  other.close()
  connection.close()
  // bOpenUri lies between bUseCis, on by default, and the largest string length: no probe may create a file.
  const { memory } = connection.engine
  expect(memory.byte(openUriAddress + 1) === 1 && memory.int(openUriAddress + 6) === 0x7ffffffe, "bOpenUri")
}
