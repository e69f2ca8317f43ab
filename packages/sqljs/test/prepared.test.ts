/** The garbage collector finalises no statement during a synchronous loop, so the connection must release statements itself. */
import { expect, it } from "vitest"
import { engine } from "../src/engine.js"
import { DatabaseSync, type StatementSync } from "../src/index.js"

it("10 000 statements that a synchronous loop prepares fit into 128 MiB of memory", () => {
  const database = new DatabaseSync(":memory:")
  const long = `SELECT ${Array.from({ length: 60 }, (_, index) => `? + ${index} AS c${index}`).join()}`
  for (let count = 0; count < 10_000; count++) database.prepare(long)
  expect(engine().memory.bytes.length).toBeLessThan(128 * 2 ** 20)
  database.close()
})

it("an old statement runs like a new one after thousands of others were prepared", () => {
  const database = new DatabaseSync(":memory:")
  database.exec("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y')")
  const bound = database.prepare("SELECT a, b FROM t WHERE a = ? -- or not")
  bound.get(2)
  const counted = bound.stat("run")
  const iterated = database.prepare("SELECT a FROM t WHERE a < ?").iterate(3)
  const running = database.prepare("SELECT a FROM t ORDER BY a").iterate()
  running.next()
  const options = database.prepare("SELECT a FROM t", { readBigInts: true, returnArrays: true })
  const gone = database.prepare("SELECT b FROM t")
  const many: StatementSync[] = []
  for (let count = 0; count < 4500; count++) many.push(database.prepare(`SELECT ${count}`))
  expect([counted, bound.stat("run")]).toEqual([1, 1])
  expect(bound.expandedSQL).toBe("SELECT a, b FROM t WHERE a = 2.0 -- or not")
  expect(bound.sourceSQL).toBe("SELECT a, b FROM t WHERE a = ? -- or not")
  expect(bound.get(1)).toEqual({ a: 1, b: "x" })
  expect([...iterated]).toEqual([{ a: 1 }, { a: 2 }])
  expect([...running]).toEqual([{ a: 2 }])
  expect(options.all()).toEqual([[1n], [2n]])
  expect(many[0]?.columns()).toMatchObject([{ name: "0" }])
  expect(many.map((statement) => Object.values(statement.get() ?? {})[0])).toEqual(many.map((_, index) => index))
  database.exec("ALTER TABLE t DROP COLUMN b")
  expect(() => gone.get()).toThrow("no such column: b")
  database.close()
  expect(() => many[0]?.get()).toThrow("statement has been finalized")
})

it("an authorizer checks a recompiled statement only if the statement is older than the authorizer", () => {
  const database = new DatabaseSync(":memory:")
  database.exec("CREATE TABLE t (a)")
  let asked = 0
  const allow = () => {
    asked++
    return 0
  }
  const before = database.prepare("SELECT a FROM t")
  database.setAuthorizer(allow)
  const under = database.prepare("SELECT a AS b FROM t")
  for (let count = 0; count < 2500; count++) database.prepare("SELECT 1")
  asked = 0
  under.all()
  expect(asked).toBe(0)
  before.all()
  expect(asked).toBeGreaterThan(0)
  database.close()
})
