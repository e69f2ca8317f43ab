/**
 * Runs the same random statements on `node:sqlite` and on this package, in memory and on a file. Every result and every error
 * must be the same.
 */
import { DatabaseSync as NativeDatabase } from "node:sqlite"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { DatabaseSync, type SQLInputValue } from "../src/index.js"
import { outcome } from "./outcome.js"
import { randomFrom } from "./random.js"
import { temporaryFolder } from "./temporary-folder.js"

type Step =
  | { readonly exec: string }
  | {
      readonly sql: string
      readonly method: "all" | "get" | "run" | "iterate"
      readonly values: readonly unknown[]
      readonly bigInts: boolean
      readonly arrays: boolean
    }

const values: readonly [unknown, ...unknown[]] = [
  null,
  0,
  -0,
  1.5,
  42,
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
  1e300,
  Number.POSITIVE_INFINITY,
  7n,
  2n ** 53n + 1n,
  -(2n ** 63n) + 1n,
  2n ** 63n - 1n,
  2n ** 64n,
  "",
  "text",
  "ü€😀",
  "a\0b",
  "\ud800",
  "12abc",
  "0x10",
  new Uint8Array(),
  new Uint8Array([0, 1, 254, 255]),
  true,
  { named: 1 },
]

const expressions = [
  "a + b",
  "a || b",
  "typeof(a)",
  "hex(a)",
  "length(b)",
  "a = b",
  "a < ?",
  "cast(a AS INTEGER)",
  "cast(b AS TEXT)",
  "coalesce(a, ?)",
  "a % 7",
  "abs(b)",
  "round(a, 2)",
  "json_quote(b)",
  "substr(a, 2)",
  "a IN (?, b)",
  "printf('%s %d %.3f', a, b, a)",
  "zeroblob(3)",
  "quote(a)",
  "unicode(a)",
] as const

const sequence = (seed: number): Step[] => {
  const { next, pick } = randomFrom(seed)
  const table = () => pick(["t", "u", "s", "missing"])
  const value = () => pick(values)
  const ask = (sql: string, values: readonly unknown[] = []): Step => ({
    sql,
    values,
    method: pick(["all", "get", "run", "iterate"]),
    bigInts: next(2) === 0,
    arrays: next(4) === 0,
  })
  const select = (): Step => {
    const expression = pick(expressions)
    const parameters = [...expression].filter((letter) => letter === "?").map(value)
    return ask(`SELECT id, a, b, ${expression} AS computed FROM ${table()} ORDER BY id LIMIT 5`, parameters)
  }
  const steps: (() => Step)[] = [
    select,
    select,
    () => ask(`INSERT INTO ${table()} (a, b) VALUES (?, ?)`, [value(), value()]),
    () => ask(`INSERT INTO ${table()} (a, b) VALUES (?, ?) RETURNING *`, [value(), value()]),
    () => ask(`INSERT INTO ${table()} (id, a, b) VALUES (?, ?, ?)`, [next(6), value(), value()]),
    () => ask(`INSERT OR REPLACE INTO ${table()} (id, a) VALUES (?, ?)`, [value(), value()]),
    () => ask(`UPDATE ${table()} SET b = ? WHERE id = ?`, [value(), next(8)]),
    () => ask(`UPDATE ${table()} SET a = a + 1`),
    () => ask(`DELETE FROM ${table()} WHERE id = ?`, [next(8)]),
    () => ask("SELECT count(*), sum(id), max(a), group_concat(id) FROM t"),
    () => ask("SELECT :named AS n, ? AS anonymous", [{ named: value() }, value()]),
    () => ask("SELECT t.id, u.a FROM t LEFT JOIN u ON u.id = t.id ORDER BY 1"),
    () => ask("PRAGMA table_info(t)"),
    () => ask("SELECT changes(), total_changes(), last_insert_rowid()"),
    () => ({ exec: pick(["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT one", "RELEASE one", "ROLLBACK TO one"]) }),
    () => ({
      exec: pick([`DROP TABLE ${table()}`, "CREATE INDEX i ON t (a)", "DROP INDEX i", "ALTER TABLE u ADD COLUMN c", "VACUUM"]),
    }),
    () => ({
      exec: pick(["CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)", "CREATE TABLEE", "SELECT nope", "PRAGMA user_version = 7"]),
    }),
  ]
  const schema: Step[] = [
    { exec: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b UNIQUE)" },
    { exec: "CREATE TABLE u (id INTEGER PRIMARY KEY AUTOINCREMENT, a NOT NULL, b TEXT DEFAULT 'x')" },
    { exec: "CREATE TABLE s (id INTEGER PRIMARY KEY, a INTEGER, b TEXT REFERENCES t (b)) STRICT" },
  ]
  return [...schema, ...Array.from({ length: 60 }, () => pick([select, ...steps])())]
}

type Engine = typeof DatabaseSync | typeof NativeDatabase

const outcomes = (Engine: Engine, path: string, steps: readonly Step[]): string[] => {
  const database = new Engine(path)
  const answers = steps.map((step) => {
    const answer = outcome(() => {
      if ("exec" in step) return database.exec(step.exec)
      const statement = database.prepare(step.sql)
      statement.setReadBigInts(step.bigInts)
      statement.setReturnArrays(step.arrays)
      // Safe: a program may pass values that the types refuse.
      const values = step.values as SQLInputValue[]
      const rows = step.method === "iterate" ? [...statement.iterate(...values)] : statement[step.method](...values)
      return { rows, expanded: statement.expandedSQL, columns: statement.columns().map(({ name, type }) => [name, type]) }
    })
    return `${inspect(step)}\n→ ${answer} ${database.isTransaction}`
  })
  database.close()
  return answers
}

describe.each(Array.from({ length: 40 }, (_, seed) => seed))("the random sequence %i", (seed) => {
  it("has the same outcome as in node:sqlite, in memory", () => {
    const steps = sequence(seed)
    expect(outcomes(DatabaseSync, ":memory:", steps)).toStrictEqual(outcomes(NativeDatabase, ":memory:", steps))
  })
})

describe.each([100, 101, 102, 103])("the random sequence %i on a file", (seed) => {
  it("has the same outcome as in node:sqlite, and each engine reads the other's file", () => {
    const file = temporaryFolder()
    const steps = sequence(seed)
    expect(outcomes(DatabaseSync, file("ours.db"), steps)).toStrictEqual(outcomes(NativeDatabase, file("native.db"), steps))
    const dump: Step[] = ["t", "u", "s"].map((table) => ({
      sql: `SELECT * FROM ${table}`,
      method: "all",
      values: [],
      bigInts: true,
      arrays: true,
    }))
    expect(outcomes(DatabaseSync, file("native.db"), dump)).toStrictEqual(outcomes(NativeDatabase, file("ours.db"), dump))
  })
})
