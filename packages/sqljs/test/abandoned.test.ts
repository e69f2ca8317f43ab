/** The package never treats a call that V8 terminates, for example after a `vm` timeout or Ctrl-C in the REPL, as complete. */
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { DatabaseSync, isInUse } from "../src/index.js"
import { runProgram } from "./programs/run-program.js"
import { temporaryFolder } from "./temporary-folder.js"

const numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000000)"
const lost = { code: "ERR_INVALID_STATE", message: expect.stringContaining("SQLite was stopped in the middle of a call") }

/** Runs `work` until V8 terminates it after half a second. Fails if `work` ends earlier. */
const endInTheMiddle = (work: () => void) =>
  expect(() => runInNewContext("work()", { work }, { timeout: 500 })).toThrow(
    expect.objectContaining({ code: "ERR_SCRIPT_EXECUTION_TIMEOUT" }),
  )

const opened = () => {
  const path = temporaryFolder()("abandoned.db")
  const database = new DatabaseSync(path)
  database.exec("CREATE TABLE rows (a); INSERT INTO rows VALUES (1)")
  database.function("spin", () => {
    for (;;);
  })
  database.function("again", () => database.prepare("SELECT count(*) AS count FROM rows").get()?.["count"] ?? null)
  return { path, database }
}

describe("a call that V8 terminates", () => {
  it.each<[string, (database: DatabaseSync) => void]>([
    ["a statement", (database) => database.prepare(`INSERT INTO rows ${numbers} SELECT i FROM n`).run()],
    ["SQL in exec", (database) => database.exec(`BEGIN; INSERT INTO rows ${numbers} SELECT i FROM n; COMMIT`)],
    ["a JavaScript function", (database) => database.prepare("INSERT INTO rows VALUES (2), (spin())").run()],
    ["a statement in a function", (database) => database.prepare("INSERT INTO rows SELECT again() + spin()").run()],
  ])("makes every later call except close() throw, and leaves the last commit intact in the file: %s", async (_, work) => {
    const { path, database } = opened()
    const other = new DatabaseSync(":memory:")
    const statement = database.prepare("SELECT count(*) AS count FROM rows")
    endInTheMiddle(() => work(database))
    for (const use of [
      () => statement.get(),
      () => statement.sourceSQL,
      () => database.exec("COMMIT"),
      () => database.prepare("SELECT 1"),
      () => database.isTransaction,
      () => database.serialize(),
      () => other.exec("SELECT 1"),
    ]) {
      expect(use).toThrow(expect.objectContaining(lost))
    }
    database.close()
    other.close()
    expect(isInUse(path)).toBe(false)
    expect(await runProgram("reader.ts", [path, "false"]).lines).toEqual(["1 rows"])
    database.open()
    expect(database.prepare("SELECT count(*) AS count FROM rows").get()).toEqual({ count: 1 })
    database.close()
  })

  it("leaves no lock behind, even if V8 also terminates the next call", async () => {
    const path = temporaryFolder()("anywhere.db")
    const created = new DatabaseSync(path)
    created.exec("CREATE TABLE rows (a)")
    created.close()
    const sandbox = { DatabaseSync, path, acknowledged: 0 }
    const script = `for (;;) {
      const database = new DatabaseSync(path)
      database.exec("INSERT INTO rows VALUES (1)")
      acknowledged++
      database.close()
    }`
    for (let round = 0; round < 100; round++) {
      expect(() => runInNewContext(script, sandbox, { timeout: 1 + (round % 13) })).toThrow(
        expect.objectContaining({ code: "ERR_SCRIPT_EXECUTION_TIMEOUT" }),
      )
    }
    const database = new DatabaseSync(path)
    const [rows] = database.prepare("SELECT count(*) AS count FROM rows").all()
    expect(rows?.["count"]).toBeGreaterThanOrEqual(sandbox.acknowledged)
    database.close()
    expect(isInUse(path)).toBe(false)
    expect(await runProgram("reader.ts", [path, "false"]).lines).toEqual([`${rows?.["count"]} rows`])
  })

  it("makes the enclosing call fail", () => {
    const { database } = opened()
    const inner = new DatabaseSync(":memory:")
    inner.exec("CREATE TABLE rows (a)")
    database.function("ends", () => {
      endInTheMiddle(() => inner.exec(`INSERT INTO rows ${numbers} SELECT i FROM n`))
      return 1
    })
    expect(() => database.prepare("INSERT INTO rows VALUES (ends())").run()).toThrow(expect.objectContaining(lost))
    database.close()
    database.open()
    expect(database.prepare("SELECT count(*) AS count FROM rows").get()).toEqual({ count: 1 })
    database.close()
  })
})

it("a connection runs deeply nested calls, and reports an error after them", () => {
  const { database } = opened()
  database.function("nested", (depth) =>
    Number(depth) === 0 ? 0 : (database.prepare("SELECT nested(?) + 1 AS depth").get(Number(depth) - 1)?.["depth"] ?? null),
  )
  expect(database.prepare("SELECT nested(12) AS depth").get()).toEqual({ depth: 12 })
  expect(() => database.prepare("SELECT a.b").get()).toThrow("no such column")
  database.close()
})
