/** A stack overflow makes only the call in which it occurs fail. */
import { describe, expect, it } from "vitest"
import { engine } from "../src/engine.js"
import { DatabaseSync } from "../src/index.js"

describe("an almost full stack", () => {
  /** Calls `use` at every stack depth, starting with the deepest, and returns the errors. */
  const atEveryDepth = (use: () => void): Set<string> => {
    const errors = new Set<string>()
    const descend = (): void => {
      try {
        descend()
      } catch {
        // The stack is full, so continue in the calling frame.
      }
      try {
        use()
      } catch (thrown) {
        errors.add(String(thrown))
      }
    }
    descend()
    return errors
  }
  const nested = `SELECT ${"NOT ".repeat(990)} deep(1)`

  it.each(["exec", "prepare", "get", "function", "columns", "session", "open", "iterate"])(
    "makes %s throw RangeError, and leaves every database usable",
    (what) => {
      const [one, other] = [new DatabaseSync(":memory:"), new DatabaseSync(":memory:")]
      for (const database of [one, other]) {
        database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        database.function("deep", (value) => other.prepare("SELECT ? AS value").get(value)?.["value"] ?? null)
      }
      const insert = one.prepare("INSERT INTO t (a) VALUES (?) RETURNING id")
      const uses: Record<string, () => void> = {
        exec: () => one.exec("INSERT INTO t (a) VALUES ('long')"),
        prepare: () => one.prepare(nested),
        get: () => insert.get("x".repeat(5000)),
        function: () => one.prepare(nested).get(),
        columns: () => insert.columns(),
        session: () => one.createSession().changeset(),
        open: () => new DatabaseSync(":memory:").close(),
        iterate: () => {
          for (const _ of one.prepare("SELECT * FROM t LIMIT 2").iterate()) break
        },
      }
      let calls = 0
      const errors = atEveryDepth(() => {
        calls++
        // Only the deepest levels matter.
        if (calls < 8000 && calls % 61 === 0) uses[what]?.()
      })
      expect([...errors]).toEqual(["RangeError: Maximum call stack size exceeded"])
      expect(engine().hasStopped).toBe(false)
      for (const database of [one, other]) {
        database.exec("DELETE FROM t; INSERT INTO t (a) VALUES (1)")
        expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" })
        database.close()
      }
    },
  )

  it.each<[string, string, readonly (string | number)[]]>([
    ["a LIKE pattern", "SELECT ? LIKE ?", [" ".repeat(66_000), "% ".repeat(25_000)]],
    ["a GLOB pattern", "SELECT ? GLOB ?", [" ".repeat(66_000), "* ".repeat(1999)]],
    [
      "JSON",
      "SELECT json(?), json_extract(?, '$'), json_patch('{}', json(?))",
      Array(3).fill(`${"[".repeat(990)}${"]".repeat(990)}`),
    ],
    ["a format", "SELECT printf(?, 1, 2, 3)", ["%*.*f".repeat(500)]],
    ["nested queries", `SELECT ${"(SELECT ".repeat(20)} ? ${")".repeat(20)}`, [1]],
    ["triggers", "INSERT INTO deep VALUES (?)", [900]],
    ["a table that is renamed", "ALTER TABLE deep RENAME COLUMN a TO a -- ?", []],
  ])("causes at most a RangeError or a pattern error, and never stops SQLite: %s", (_, sql, values) => {
    const database = new DatabaseSync(":memory:", { limits: { likePatternLength: 50_000 } })
    database.limits.likePatternLength = Number.POSITIVE_INFINITY
    database.exec("CREATE TABLE deep (a); PRAGMA recursive_triggers = 1")
    database.exec("CREATE TRIGGER deeper AFTER INSERT ON deep WHEN NEW.a > 0 BEGIN INSERT INTO deep VALUES (NEW.a - 1); END")
    let calls = 0
    const errors = atEveryDepth(() => {
      calls++
      if (calls > 2000 && calls < 8000 && calls % 97 === 0) database.prepare(sql).get(...values)
    })
    errors.delete("RangeError: Maximum call stack size exceeded")
    errors.delete("Error: LIKE or GLOB pattern too complex")
    expect([...errors]).toEqual([])
    expect(engine().hasStopped).toBe(false)
    database.close()
  })
})
