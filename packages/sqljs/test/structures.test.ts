/**
 * Checks every offset in `structures.ts` on the pinned binary: the value that SQL has just written must be at that offset. The
 * package loads no other binary.
 */
import { expect, it } from "vitest"
import { type Connection, openConnection } from "../src/connection.js"
import { engine } from "../src/engine.js"
import { SQLITE_ROW } from "../src/errors.js"
import { functionsOf } from "../src/functions.js"
import { hashValues } from "../src/memory.js"
import {
  backup,
  column,
  columnFlag,
  context,
  counterNames,
  database,
  flag,
  functionDefinition,
  module,
  openUriAddress,
  pageSizeCallAddress,
  schema,
  sharedTree,
  statement,
  statementBit,
  table,
  tree,
  value,
  valueFlag,
} from "../src/structures.js"

const opened = (schema = ""): Connection => {
  const connection = openConnection(engine(), ":memory:")
  connection.exec(schema)
  return connection
}

/** The initial values of `sqlite3_limit`; the last one is the parser's depth. */
const defaultLimits = [1_000_000_000, 1_000_000_000, 2000, 1000, 500, 250_000_000, 1000, 10, 50_000, 32_766, 1000, 0, 2500]

/** @param what  the name in SQLite's source */
const holds = (isTrue: boolean, what: string) => expect(isTrue, what).toBe(true)

it("the offsets find a connection's values", () => {
  const connection = opened()
  const { engine, handle } = connection
  const { memory, call } = engine
  const at = (offset: number) => memory.int(handle + offset)
  holds(
    defaultLimits.every((limit, index) => at(database.limits + index * 4) === limit),
    "aLimit",
  )
  connection.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE); INSERT INTO t VALUES (77, 'x'), (4294967298, 'y')")
  // Read, write and create, as with `sqlite3_open`.
  holds((at(database.openFlags) & 7) === 6, "openFlags")
  holds(memory.long(handle + database.lastRowid) === 4294967298n, "lastRowid")
  holds(memory.long(handle + database.changes) === 2n, "nChange")
  engine.withText("INSERT INTO t VALUES (1, 'x')", (sql) => call.sqlite3_exec(handle, sql, 0, 0, 0))
  holds(at(database.errorCode) === 2067, "errCode")
  holds(memory.byte(handle + database.autoCommit) === 1, "autoCommit")
  connection.exec("BEGIN")
  holds(memory.byte(handle + database.autoCommit) === 0, "autoCommit")
  connection.exec("ROLLBACK; PRAGMA foreign_keys = ON")
  holds((at(database.flags) & flag.foreignKeys) !== 0, "flags")
  connection.exec("BEGIN; CREATE TABLE c (p REFERENCES t); PRAGMA defer_foreign_keys = 1; INSERT INTO c VALUES (5)")
  holds(memory.long(handle + database.deferredViolations + 8) === 1n, "nDeferredImmCons")
  connection.exec("ROLLBACK; BEGIN; CREATE TABLE d (p REFERENCES t DEFERRABLE INITIALLY DEFERRED); INSERT INTO d VALUES (5)")
  holds(memory.long(handle + database.deferredViolations) === 1n, "nDeferredCons")
  connection.exec("ROLLBACK")
  const isAllowed = (sql: string) => engine.withText(sql, (text) => call.sqlite3_exec(handle, text, 0, 0, 0)) === 0
  /** Whether setting the bit changes whether the SQL is allowed. */
  const decides = (bit: number, sql: string) => {
    const answers = [true, false].map((on) => {
      connection.setFlag(bit, on)
      return isAllowed(sql)
    })
    return answers[0] !== answers[1]
  }
  holds(decides(flag.doubleQuotedInDml, `SELECT "text"`), "flags")
  holds(decides(flag.doubleQuotedInDdl, `CREATE INDEX i ON t ("text")`), "flags")
  holds(decides(flag.defensive, "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE 0"), "flags")
  connection.exec("PRAGMA writable_schema = OFF; DROP INDEX IF EXISTS i")
})

it("the offsets find a statement's values", () => {
  const connection = opened("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES (77, 'x'), (4294967298, 'y')")
  const { engine, handle } = connection
  const { memory, call } = engine
  const prepared = connection.prepare("SELECT b AS name, a, ?1, :foo, $bar FROM t WHERE a > 77")
  const at = (offset: number) => memory.int(prepared + offset)
  holds(memory.int(handle + database.firstStatement) === prepared, "pVdbe")
  holds((at(statement.variableCount) & 0xffff) === 3, "nVar")
  call.sqlite3_bind_double(prepared, 2, 1.25)
  call.sqlite3_bind_int(prepared, 3, 7)
  const variables = at(statement.variables)
  holds(memory.double(variables + value.size) === 1.25 && memory.long(variables + 2 * value.size) === 7n, "aVar")
  const names = at(statement.variableNames)
  holds(memory.int(names + 8) === 1 && memory.text(names + 16) === "?1", "pVList")
  holds(call.sqlite3_step(prepared) === SQLITE_ROW, "step")
  const row = at(statement.row)
  const text = memory.text(memory.int(row + value.text))
  holds(text === "y" && memory.int(row + value.length) === 1 && memory.byte(row + value.encoding) === 1, "pResultRow")
  holds((memory.int(row + value.flags) & valueFlag.text) !== 0, "Mem.flags")
  holds((memory.int(row + value.size + value.flags) & 0x3f) === valueFlag.integer, "Mem.flags")
  holds(memory.long(row + value.size) === 4294967298n, "Mem.u")
  const columns = at(statement.columnNames) + (at(statement.columnCounts) >>> 16) * value.size
  holds(memory.text(memory.int(columns + value.text)) === "TEXT", "aColName")
  call.sqlite3_reset(prepared)
  const before = at(statement.reprepared)
  connection.exec("ALTER TABLE t ADD COLUMN c")
  call.sqlite3_step(prepared)
  holds(at(statement.reprepared) === before + 1, "aCounter")
  holds(at(statement.counters + 4 * counterNames.indexOf("reprepare")) === before + 1, "aCounter")
  const explained = connection.prepare("EXPLAIN SELECT 1")
  holds(memory.int(explained + statement.next) === prepared, "pVNext")
  const isExplain = (of: number) => (memory.int(of + statement.bits) & statementBit.explain) !== 0
  holds(isExplain(explained) && !isExplain(prepared), "explain")
  call.sqlite3_finalize(explained)
  memory.setInt(prepared + statement.bits, memory.int(prepared + statement.bits) | statementBit.prepareAgain)
  call.sqlite3_reset(prepared)
  call.sqlite3_step(prepared)
  holds(at(statement.reprepared) === before + 2, "expired")
  call.sqlite3_finalize(prepared)
})

it("the offsets find the values of schemas, tables and columns", () => {
  const connection = opened()
  const { engine, handle } = connection
  const { memory } = engine
  connection.exec(
    "CREATE TABLE s (a, b TEXT COLLATE NOCASE, c 'My Type' PRIMARY KEY, d INT); CREATE TABLE r (a, k INTEGER PRIMARY KEY)",
  )
  holds(memory.int(handle + database.schemaCount) === 2, "nDb")
  const entry = memory.int(handle + database.schemas)
  const names = [0, 1].map((index) => memory.text(memory.int(entry + index * schema.entrySize + schema.entryName)))
  holds(names.join() === "main,temp", "aDb")
  const tables = new Map<string, number>()
  const btree = memory.int(entry + schema.entryTree)
  holds(memory.int(btree + tree.connection) === handle, "Btree.db")
  holds(memory.int(memory.int(btree + tree.shared) + sharedTree.connection) === handle, "BtShared.db")
  for (const found of hashValues(memory, memory.int(entry + schema.entrySchema) + schema.tables)) {
    tables.set(memory.text(memory.int(found + table.name)), found)
  }
  const [s = 0, r = 0] = [tables.get("s"), tables.get("r")]
  holds(s !== 0 && r !== 0, "tblHash")
  const [count, rowid] = [table.columnCount, table.rowidColumn]
  holds(memory.short(s + count) === 4 && memory.short(r + count) === 2, "nCol")
  holds(memory.short(s + rowid) === 0xffff && memory.short(r + rowid) === 1, "iPKey")
  const columns = [0, 1, 2, 3].map((index) => memory.int(s + table.columns) + index * column.size)
  holds(columns.map((at) => memory.text(memory.int(at + column.name))).join() === "a,b,c,d", "aCol")
  const flags = columns.map((at) => memory.short(at + column.flags) & (columnFlag.hasType | columnFlag.hasCollation))
  holds(flags.join() === [0, columnFlag.hasCollation, columnFlag.hasType, 0].join(), "colFlags")
  const type = memory.int((columns[2] ?? 0) + column.name) + 2
  holds(memory.text(type) === "My Type", "zCnName")
  connection.exec("SELECT * FROM json_each('[]')")
  const ownTables = hashValues(memory, handle + database.modules).map((at) => memory.int(at + module.ownTable))
  const own = ownTables.filter((at) => at !== 0).map((at) => memory.text(memory.int(at + table.name)))
  holds(own.includes("json_each"), "aModule")
})

it("the offsets find callbacks' values", () => {
  const connection = opened()
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
  holds(seen.includes("authorizer 4712"), "xAuth")
  holds(seen.includes("function 4711"), "FuncDef.pUserData")
  checkWindow(connection, step)
})

/** Checks that two callbacks written to memory make a function a window function, even if another one has the same name. */
const checkWindow = (connection: Connection, step: number) => {
  const { engine, handle } = connection
  const { memory, call } = engine
  const seen: string[] = []
  const note = (what: string) =>
    engine.functionPointer("vi", (cell: number) => {
      seen.push(what)
      call.sqlite3_result_null(cell)
    })
  const inverse = engine.functionPointer("viii", () => {
    seen.push("inverse")
  })
  const data = 4713
  engine.withText("probe", (name) => call.sqlite3_create_function_v2(handle, name, 1, 1, data, 0, step, note("end"), 0))
  for (const definition of functionsOf(connection)) {
    if (memory.int(definition + functionDefinition.userData) !== data) continue
    holds(memory.int(definition + functionDefinition.step) === step, "xSFunc")
    memory.setInt(definition + functionDefinition.value, note("value"))
    memory.setInt(definition + functionDefinition.inverse, inverse)
  }
  connection.exec("SELECT probe(column1) OVER (ROWS 1 PRECEDING) FROM (VALUES (1), (2), (3))")
  holds(
    ["value", "inverse"].every((what) => seen.includes(what)),
    "FuncDef",
  )
}

it("the offsets find a backup's values", () => {
  const connection = opened("CREATE TABLE one (a); CREATE TABLE two (a); CREATE TABLE three (a)")
  const target = opened()
  const { memory, call } = connection.engine
  const job = connection.engine.withText("main", (name) => call.sqlite3_backup_init(target.handle, name, connection.handle, name))
  call.sqlite3_backup_step(job, 1)
  const [remaining, count] = [memory.int(job + backup.remaining), memory.int(job + backup.pageCount)]
  call.sqlite3_backup_finish(job)
  holds(count > 3 && remaining === count - 1, "sqlite3_backup")
})

it("the offsets find SQLite's global settings", () => {
  const { memory } = engine()
  // bOpenUri is between bUseCis, which is on by default, and the maximum string length. The test reads memory,
  // because it must not create a file.
  holds(memory.text(memory.int(pageSizeCallAddress - 4)) === "getpagesize", "aSyscall")
  holds(memory.byte(openUriAddress + 1) === 1 && memory.int(openUriAddress + 6) === 0x7ffffffe, "bOpenUri")
})
