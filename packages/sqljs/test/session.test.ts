/** This package and SQLite's session extension each apply the changes that the other one recorded. */
import * as native from "node:sqlite"
import { describe, expect, it } from "vitest"
import * as ours from "../src/index.js"

type Engine = Pick<typeof ours, "DatabaseSync">
type Database = ours.DatabaseSync

// The Node.js 26 types have more members; the tests use only those in Node.js 24.
const engines: Readonly<Record<string, Engine>> = { ours, native: native as unknown as Engine }
const schema = `
  CREATE TABLE one (id INTEGER PRIMARY KEY, a, b TEXT);
  CREATE TABLE two (x, y TEXT, z BLOB, PRIMARY KEY (y, x)) WITHOUT ROWID;
  CREATE TABLE keyless (a)`
const start = `
  INSERT INTO one VALUES (1, 1.5, 'one'), (2, NULL, 'two'), (3, 9007199254740993, 'three'), (4, x'00ff', '');
  INSERT INTO two VALUES (1, 'a', NULL), (2, 'b', x'01')`
const work = [
  "INSERT INTO one VALUES (10, 'ü€😀', 'x'), (11, -1, NULL)",
  "UPDATE one SET a = 'changed' WHERE id IN (1, 10)",
  "UPDATE one SET id = 20 WHERE id = 2",
  "DELETE FROM one WHERE id >= 3 AND id < 10",
  "INSERT INTO one VALUES (3, 'again', NULL)",
  "REPLACE INTO one VALUES (1, 2, 'replaced')",
  "UPDATE two SET z = x'02' WHERE x = 2",
  "INSERT INTO two VALUES (3, 'c', NULL)",
  "DELETE FROM two WHERE x = 1",
  "INSERT INTO keyless VALUES (1)",
  "BEGIN; DELETE FROM one; ROLLBACK",
  `UPDATE one SET b = '${"long ".repeat(60)}' WHERE id = 11`,
]

const open = (engine: Engine): Database => {
  const database = new engine.DatabaseSync(":memory:", { readBigInts: true })
  database.exec(schema)
  database.exec(start)
  return database
}
const contents = (database: Database) =>
  ["one", "two"].map((table) => database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all())

describe.each([
  ["changeset", "ours", "native"],
  ["patchset", "ours", "native"],
  ["changeset", "native", "ours"],
  ["patchset", "native", "ours"],
] as const)("a %s recorded by %s and applied by %s", (kind, recorder, applier) => {
  it.each(work.map((_, count) => count + 1))("produces the same rows after step %i", (count) => {
    const [from, to] = [open(engines[recorder] ?? ours), open(engines[applier] ?? ours)]
    const session = from.createSession()
    for (const step of work.slice(0, count)) from.exec(step)
    expect(to.applyChangeset(session[kind]())).toBe(true)
    expect(contents(to)).toEqual(contents(from))
    from.close()
    to.close()
  })
})

describe.each([0, 1, 2])("conflict resolution %i", (resolution) => {
  const conflicts = {
    "a row that already exists": ["INSERT INTO one VALUES (7, 'new', NULL)", "INSERT INTO one VALUES (7, 'other', NULL)"],
    "a row that changed": ["UPDATE one SET a = 'new' WHERE id = 1", "UPDATE one SET a = 'other' WHERE id = 1"],
    "a row that is gone": ["DELETE FROM one WHERE id = 1", "DELETE FROM one WHERE id = 1"],
    "a constraint": [
      "INSERT INTO one VALUES (8, 'unique', NULL)",
      "CREATE UNIQUE INDEX u ON one (a); UPDATE one SET a = 'unique' WHERE id = 1",
    ],
  }

  it.each(Object.entries(conflicts))("has the same result as in node:sqlite for %s", (_, [here = "", there = ""]) => {
    const outcomes = Object.values(engines).map((engine) => {
      const [from, to] = [open(engine), open(engine)]
      const session = from.createSession({ table: "one" })
      from.exec(here)
      to.exec(there)
      const kinds: number[] = []
      const onConflict = (kind: number) => {
        kinds.push(kind)
        return resolution
      }
      try {
        return { applied: to.applyChangeset(session.changeset(), { onConflict }), kinds, rows: contents(to) }
      } catch (thrown) {
        return { thrown: { ...(thrown as object) }, kinds, rows: contents(to) }
      }
    })
    expect(outcomes[0]).toEqual(outcomes[1])
    expect(outcomes[0]?.kinds).toHaveLength(1)
  })
})

it("applyChangeset rethrows a callback's error, and undoes all changes", () => {
  const [from, to] = [open(ours), open(ours)]
  const session = from.createSession()
  from.exec("INSERT INTO one VALUES (30, 1, 1); INSERT INTO two VALUES (9, 'z', NULL)")
  const before = contents(to)
  const filter = (table: string) => {
    if (table === "two") throw new Error("refused")
    return true
  }
  expect(() => to.applyChangeset(session.changeset(), { filter })).toThrow("refused")
  expect(contents(to)).toEqual(before)
  expect(to.isTransaction).toBe(false)
})

it("applyChangeset refuses bytes that are not a changeset", () => {
  const database = open(ours)
  for (const bytes of ["54", "00", "54020100", "54030100006f6e650012", "ff"]) {
    expect(() => database.applyChangeset(Buffer.from(bytes, "hex"))).toThrow("database disk image is malformed")
  }
})

it("a session throws after it or its database is closed", () => {
  const database = open(ours)
  const session = database.createSession()
  session.close()
  expect(() => session.changeset()).toThrow("session is not open")
  const other = database.createSession()
  database.close()
  expect(() => other.changeset()).toThrow("database is not open")
  database.open()
  expect(() => other.changeset()).toThrow("session is not open")
})

describe.each(Object.entries(engines))("a session (%s)", (_, engine) => {
  const { SQLITE_DENY, SQLITE_OK, SQLITE_SAVEPOINT } = ours.constants

  it.each(["changeset", "patchset"] as const)("cannot be closed by the authorizer while it creates a %s", (method) => {
    const database = open(engine)
    const session = database.createSession({ table: "one" })
    database.exec("DELETE FROM one WHERE id = 1")
    database.setAuthorizer(() => {
      session.close()
      return SQLITE_OK
    })
    expect(() => session[method]()).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_STATE", message: "session is currently in use" }),
    )
    database.setAuthorizer(null)
    expect(session[method]().length).toBeGreaterThan(0)
    expect(database.isTransaction).toBe(false)
    session.close()
    expect(() => session[method]()).toThrow("session is not open")
  })

  it("calls the authorizer for the savepoint around a changeset, and throws if the authorizer denies it", () => {
    const database = open(engine)
    const session = database.createSession({ table: "one" })
    database.exec("DELETE FROM one WHERE id = 1")
    const asked: Array<ReadonlyArray<unknown>> = []
    database.setAuthorizer((action, ...parameters) => {
      if (action === SQLITE_SAVEPOINT) asked.push(parameters)
      return SQLITE_OK
    })
    session.changeset()
    expect(asked).toEqual([
      ["BEGIN", "changeset", null, null],
      ["RELEASE", "changeset", null, null],
    ])
    database.setAuthorizer(() => SQLITE_DENY)
    expect(() => session.changeset()).toThrow("not authorized")
  })
})

it("a session stays open if a callback disposes of it while it creates a changeset", () => {
  const database = open(ours)
  const session = database.createSession()
  database.setAuthorizer(() => {
    // Node.js 24 leaves the session open; Node.js 26 throws.
    session[Symbol.dispose]()
    return ours.constants.SQLITE_OK
  })
  expect(session.changeset()).toHaveLength(0)
  expect(session.changeset()).toHaveLength(0)
  session[Symbol.dispose]()
  expect(() => session.changeset()).toThrow("session is not open")
})
