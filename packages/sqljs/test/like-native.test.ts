/** Compares errors and results with those of `node:sqlite`, mostly for refused commits, held locks and authorizers. */
import * as native from "node:sqlite"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import * as ours from "../src/index.js"
import { outcome } from "./outcome.js"
import { temporaryFolder } from "./temporary-folder.js"

type Engine = Pick<typeof ours, "DatabaseSync">

// The Node.js 26 types have more members; the tests use only those in Node.js 24.
const nativeEngine = native as unknown as Engine

/** Runs the same steps on both engines and compares the results. */
const alike = (steps: (engine: Engine, note: (run: () => unknown) => void) => void) => {
  const [mine, theirs] = [ours, nativeEngine].map((engine) => {
    const notes: string[] = []
    steps(engine, (run) => notes.push(outcome(run)))
    return notes
  })
  expect(theirs?.length).toBeGreaterThan(0)
  expect(mine).toEqual(theirs)
}

const methods = ["get", "all", "run"] as const

describe("INSERT … RETURNING whose commit is refused", () => {
  it.each(methods)("makes %s throw, as in Node.js, if a deferred foreign key is violated", (method) => {
    alike((engine, note) => {
      const database = new engine.DatabaseSync(":memory:")
      database.exec(`
        CREATE TABLE p (id INTEGER PRIMARY KEY);
        CREATE TABLE c (p REFERENCES p DEFERRABLE INITIALLY DEFERRED)`)
      const insert = database.prepare("INSERT INTO c VALUES (5) RETURNING p")
      note(() => insert[method]())
      note(() => [...insert.iterate()])
      note(() => database.prepare("SELECT count(*) FROM c").get())
      database.close()
    })
  })

  it.each(methods)("makes %s throw, as in Node.js, while another connection reads", (method) => {
    alike((engine, note) => {
      const path = temporaryFolder()("busy.db")
      const [writer, reader] = [new engine.DatabaseSync(path), new engine.DatabaseSync(path)]
      writer.exec("CREATE TABLE p (id INTEGER PRIMARY KEY); INSERT INTO p VALUES (1), (2)")
      const reading = reader.prepare("SELECT * FROM p").iterate()
      reading.next()
      const insert = writer.prepare("INSERT INTO p VALUES (5) RETURNING id")
      note(() => insert[method]())
      note(() => writer.isTransaction)
      reading.return?.()
      note(() => insert[method]())
      note(() => reader.prepare("SELECT * FROM p").all())
      writer.close()
      reader.close()
    })
  })
})

describe.each(["UTF-8", "UTF-16le", "UTF-16be"])("a database in %s", (encoding) => {
  it("stores and returns text as in Node.js, including NUL characters", () => {
    alike((engine, note) => {
      const database = new engine.DatabaseSync(":memory:")
      database.exec(`PRAGMA encoding = '${encoding}'; CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)`)
      for (const text of ["a\0b", "", "\0", "ü€😀", "x".repeat(70_000)]) {
        note(() => database.prepare("INSERT INTO t (a) VALUES (?) RETURNING a, length(a), a || '!' AS b").get(text))
      }
      database.function("same", (text) => text)
      note(() => database.prepare("SELECT a, same(a), hex(a) FROM t WHERE length(a) < 100").all())
      database.close()
    })
  })
})

describe("applyChangeset", () => {
  const { SQLITE_DENY, SQLITE_IGNORE, SQLITE_OK } = ours.constants
  const changed = (engine: Engine) => {
    const database = new engine.DatabaseSync(":memory:")
    database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
    return database
  }
  const changesetOf = (engine: Engine) => {
    const source = changed(engine)
    const session = source.createSession()
    source.exec("INSERT INTO t VALUES (4, 4); UPDATE t SET a = 20 WHERE id = 2; DELETE FROM t WHERE id = 3")
    return session.changeset()
  }
  const actions = ["INSERT", "UPDATE", "DELETE", "READ", "SELECT", "PRAGMA", "SAVEPOINT", "TRANSACTION", "FUNCTION"] as const
  const cases = actions.flatMap((action) => [SQLITE_DENY, SQLITE_IGNORE].map((code) => [action, code] as const))

  it.each(cases)("has the same result as in Node.js if the authorizer answers %s with %i", (action, code) => {
    alike((engine, note) => {
      const database = changed(engine)
      database.setAuthorizer((requested) => (requested === ours.constants[`SQLITE_${action}`] ? code : SQLITE_OK))
      note(() => database.applyChangeset(changesetOf(engine)))
      database.setAuthorizer(null)
      note(() => [database.prepare("SELECT * FROM t").all(), database.isTransaction])
    })
  })

  it("has the same result as in Node.js if the authorizer throws", () => {
    alike((engine, note) => {
      const database = changed(engine)
      database.setAuthorizer(() => {
        throw new Error("no")
      })
      note(() => database.applyChangeset(changesetOf(engine)))
      database.setAuthorizer(null)
      note(() => database.prepare("SELECT * FROM t").all())
    })
  })

  it("throws, as in Node.js, if onConflict or filter closes the database", () => {
    alike((engine, note) => {
      const database = changed(engine)
      const close = () => {
        database.close()
        return 0
      }
      database.exec("DELETE FROM t")
      note(() => database.applyChangeset(changesetOf(engine), { onConflict: close }))
      note(() => database.applyChangeset(changesetOf(engine), { filter: () => close() === 0 }))
      note(() => [database.isOpen, database.isTransaction])
    })
  })

  it.each(["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])("throws, as in Node.js, while another connection is in %s", (begin) => {
    alike((engine, note) => {
      const path = temporaryFolder()("busy.db")
      const [database, other] = [new engine.DatabaseSync(path), new engine.DatabaseSync(path)]
      database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE); INSERT INTO t VALUES (2, 2), (3, 3)")
      other.exec(begin)
      note(() => database.applyChangeset(changesetOf(engine)))
      other.exec("COMMIT")
      note(() => database.applyChangeset(changesetOf(engine)))
      database.close()
      other.close()
    })
  })
})

describe("a session", () => {
  it("throws SQLITE_BUSY while another connection has locked the file, and creates a changeset afterwards", () => {
    const path = temporaryFolder()("busy.db")
    const [database, other] = [new ours.DatabaseSync(path), new ours.DatabaseSync(path)]
    database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1)")
    const session = database.createSession()
    database.exec("INSERT INTO t VALUES (2, 2)")
    other.exec("BEGIN EXCLUSIVE")
    const busy = expect.objectContaining({ errcode: 5, message: "database is locked" })
    expect(() => session.changeset()).toThrow(busy)
    expect(() => session.patchset()).toThrow(busy)
    expect(() => database.createSession()).toThrow(busy)
    other.exec("COMMIT")
    expect(database.isTransaction).toBe(false)
    expect(session.changeset()).toHaveLength(26)
    expect(database.createSession().changeset()).toHaveLength(0)
    database.close()
    other.close()
  })

  it.each(["b DEFAULT 7", "b", "b TEXT DEFAULT 7", "b NOT NULL DEFAULT 'x'"])(
    "records changes as in Node.js after the column %s is added",
    (column) => {
      const record = (engine: Engine) => {
        const database = new engine.DatabaseSync(":memory:")
        database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (6, 6)")
        const session = database.createSession()
        database.exec(`INSERT INTO t VALUES (4, 4); ALTER TABLE t ADD COLUMN ${column}`)
        database.exec("UPDATE t SET a = 9 WHERE id = 1; UPDATE t SET b = 8 WHERE id = 2; DELETE FROM t WHERE id = 3")
        database.exec("INSERT INTO t VALUES (5, 5, 5)")
        return { database, changeset: session.changeset() }
      }
      const [mine, theirs] = [record(ours), record(nativeEngine)]
      expect(mine.changeset.length).toBe(theirs.changeset.length)
      const target = new native.DatabaseSync(":memory:")
      target.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (6, 6)`)
      target.exec(`ALTER TABLE t ADD COLUMN ${column}`)
      expect(target.applyChangeset(mine.changeset)).toBe(true)
      expect(target.prepare("SELECT * FROM t").all()).toEqual(theirs.database.prepare("SELECT * FROM t").all())
    },
  )
})

it("an aggregate whose step throws does not keep its value in memory", async () => {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  const database = new ours.DatabaseSync(":memory:")
  let value: WeakRef<object> | undefined
  database.aggregate("fails", {
    // Safe: the accumulator may be any value, although the node:sqlite types allow less.
    start: () => {
      const started = { large: new Uint8Array(1000) }
      value = new WeakRef(started)
      return started as unknown as string
    },
    step: (_, a) => {
      throw new Error(`step ${String(a)}`)
    },
  })
  expect(() => database.prepare("SELECT fails(1)").get()).toThrow("step 1")
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(value?.deref()).toBeUndefined()
  database.close()
})
