/**
 * Runs the same program on `node:sqlite` and on this package. Results, errors, messages and codes must be the same. The intended
 * differences are in the README's table and in the last suites.
 */
import * as native from "node:sqlite"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import * as ours from "../src/index.js"
import { temporaryFolder } from "./temporary-folder.js"

type Engine = Pick<typeof ours, "DatabaseSync" | "StatementSync" | "constants">
type Database = ours.DatabaseSync
type Program = (database: Database, engine: Engine) => unknown

/** Returns a call's result or error, so that a program can continue after an error. */
const attempt = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (thrown) {
    return thrown instanceof Error ? { ...thrown, name: thrown.name, message: thrown.message } : { thrown }
  }
}

const outcome = (engine: Engine, program: Program): string => {
  const database = new engine.DatabaseSync(":memory:")
  return inspect(
    attempt(() => program(database, engine)),
    { depth: 8 },
  )
}

/** Safe: many of these programs intentionally pass values that the types forbid. `never` is assignable to every type. */
const wrong = <T = never>(value: unknown): T => value as T

const rows =
  "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (1, 'one', 1.5), (2, NULL, x'0102'), (3, 'three', 7)"

const programs: Readonly<Record<string, Program>> = {
  "calls constructors in every wrong way": (_, { DatabaseSync, StatementSync }) =>
    [
      () => wrong<() => unknown>(DatabaseSync)(),
      () => new DatabaseSync(wrong(undefined)),
      () => new DatabaseSync("a\0b"),
      () => new DatabaseSync(new URL("http://example.com")),
      () => new DatabaseSync(":memory:", wrong(null)),
      () => new DatabaseSync(":memory:", { timeout: 0.5 }),
      () => new DatabaseSync(":memory:", wrong({ readOnly: "yes" })),
      () => new DatabaseSync(":memory:").prepare("SELECT 1", wrong({ persistent: 1 })),
      () => new DatabaseSync(":memory:").prepare("SELECT 1", wrong({ persistent: true })).get(),
      () => new DatabaseSync(":memory:", wrong({ limits: { length: "long" } })),
      () => new DatabaseSync(":memory:", { limits: { length: -1 } }),
      () => new (wrong<new () => unknown>(StatementSync))(),
      () => wrong<() => unknown>(StatementSync)(),
    ].map(attempt),
  "counts what a statement does": (database) => {
    const statement = database.prepare("SELECT * FROM t ORDER BY a")
    database.exec(rows)
    statement.all()
    statement.get()
    const counters = ["fullscanStep", "sort", "autoindex", "reprepare", "run", "filterMiss", "filterHit", "steps", wrong(1)]
    const counted = counters.map((counter) => attempt(() => statement.stat(counter)))
    statement.resetStats()
    return [counted, attempt(() => statement.stat("vmStep")), attempt(() => statement.stat(wrong(undefined)))]
  },
  "closes statements": (database) => {
    const statement = database.prepare("SELECT 1 UNION SELECT 2")
    const iterator = statement.iterate()
    const closed = database.prepare("SELECT 3")
    const running = database.prepare("SELECT close()")
    database.function("close", () => wrong(running.close()))
    const disposed = database.prepare("SELECT 4")
    const calls = [
      () => iterator.next(),
      () => statement.close(),
      () => iterator.next(),
      () => statement.get(),
      () => statement.close(),
      () => statement.stat("run"),
      () => statement.resetStats(),
      () => running.get(),
      () => running.close(),
      () => disposed[Symbol.dispose](),
      () => disposed[Symbol.dispose](),
      () => disposed.close(),
      () => database.close(),
      () => closed.close(),
      () => closed[Symbol.dispose](),
    ]
    return calls.map(attempt)
  },
  "uses a closed database": (database) => {
    const statement = database.prepare("SELECT 1")
    database.close()
    const calls = [
      () => database.exec("SELECT 1"),
      () => database.prepare("SELECT 1"),
      () => database.isTransaction,
      () => database.location(),
      () => database.limits.length,
      () => database.close(),
      () => statement.get(),
      () => statement.sourceSQL,
      () => statement.setReadBigInts(true),
      () => database.createTagStore(),
    ]
    return [database.isOpen, ...calls.map(attempt)]
  },
  "opens a database again after closing it": (database) => {
    database.close()
    database.open()
    return [database.isOpen, attempt(() => database.open()), database.prepare("SELECT 1 AS one").get()]
  },
  "passes invalid or empty SQL": (database) =>
    ["", "-- nothing", "SELEC", "SELECT * FROM missing", "SELECT 'open"].map((sql) => attempt(() => database.prepare(sql).all())),
  "reads rows as objects, as arrays and one by one": (database) => {
    database.exec(rows)
    const statement = database.prepare("SELECT * FROM t")
    const [object, all] = [statement.get(), statement.all()]
    statement.setReturnArrays(true)
    const iterator = statement.iterate()
    const first = iterator.next()
    return [object, all, first, iterator.return?.(), iterator.next(), [...statement.iterate()], iterator instanceof Iterator]
  },
  "steps an iterator after its statement was restarted": (database) => {
    database.exec(rows)
    const statement = database.prepare("SELECT id FROM t")
    const iterator = statement.iterate()
    iterator.next()
    statement.get()
    return attempt(() => iterator.next())
  },
  "selects columns named like the members of every object": (database) =>
    database.prepare("SELECT 1 AS __proto__, 2 AS constructor, 3 AS a, 4 AS a").get(),
  "reports changes and row ids": (database) => {
    const run = (sql: string) => database.prepare(sql).run()
    return [
      run("CREATE TABLE c (a)"),
      run("INSERT INTO c VALUES (1), (2)"),
      run("SELECT * FROM c"),
      run("DELETE FROM c"),
      run("BEGIN"),
    ]
  },
  "tries to bind unsupported values": (database) => {
    const statement = database.prepare("SELECT ? AS one, ? AS two")
    const bad: unknown[] = [Symbol("s"), () => 1, {}, [], new Date(0), new Map(), 2n ** 63n]
    return [
      ...bad.map((value) => attempt(() => statement.get(1, wrong(value)))),
      attempt(() => statement.get(1, 2, 3)),
      statement.get(),
    ]
  },
  "binds parameters by every kind of name": (database) => {
    const statement = database.prepare("SELECT $a AS a, :b AS b, @c AS c, ? AS d")
    return [
      statement.get({ a: 1, b: 2, c: 3 }, 4),
      statement.get({ $a: 1, ":b": 2, "@c": 3 }, 4),
      attempt(() => statement.get({ a: 1, unknown: 2 })),
      attempt(() => database.prepare("SELECT $k, @k").get({ k: 1 })),
      attempt(() => database.prepare("SELECT ?2 AS two, ?1 AS one").get(1, 2)),
      attempt(() => database.prepare("SELECT $a", { allowBareNamedParameters: false }).get({ a: 1 })),
      database.prepare("SELECT $a AS a", { allowUnknownNamedParameters: true }).get({ a: 1, unknown: 2 }),
    ]
  },
  "expands SQL": (database) => {
    const expand = (sql: string, ...values: ours.SQLInputValue[]) => {
      const statement = database.prepare(sql)
      statement.all(...values)
      return statement.expandedSQL
    }
    return [
      expand('SELECT ?, \'?\', "?", [?], `?` -- ?\n FROM (SELECT 1 AS "?") /* ? */', 1),
      expand("SELECT ?, ?, ?, ?, ?", 0.1, 1e20, 1e-7, -0, 123456789.125),
      expand("SELECT ?, ?, ?", "it's", null, new Uint8Array([1, 255])),
      expand("SELECT ?2, ?1, ?", 1n, 2n, 3n),
    ]
  },
  "violates constraints": (database) => {
    database.exec("CREATE TABLE k (id INTEGER PRIMARY KEY, a NOT NULL UNIQUE, b CHECK (b > 0)); INSERT INTO k VALUES (1, 1, 1)")
    const values = ["1, 2, 3", "2, 1, 3", "2, NULL, 3", "2, 2, 0", "'x', 2, 3"]
    return values.map((row) => attempt(() => database.exec(`INSERT INTO k VALUES (${row})`)))
  },
  "uses foreign keys and double-quoted strings": (database, { DatabaseSync }) => {
    const schema = "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p); INSERT INTO c VALUES (1)"
    const lax = new DatabaseSync(":memory:", { enableForeignKeyConstraints: false, enableDoubleQuotedStringLiterals: true })
    return [
      attempt(() => database.exec(schema)),
      attempt(() => lax.exec(schema)),
      attempt(() => database.prepare('SELECT "text" AS a').get()),
      lax.prepare('SELECT "text" AS a').get(),
    ]
  },
  "enables defensive mode": (database) => {
    const journal = () => {
      database.exec("PRAGMA journal_mode = OFF")
      return database.prepare("PRAGMA journal_mode").get()
    }
    return [journal(), database.enableDefensive(false), journal(), attempt(() => database.enableDefensive(wrong(1)))]
  },
  "sets limits": (database) => {
    database.limits.column = 3
    database.limits.attach = 0
    return [
      // A longer pattern would overflow the stack: see the README.
      { ...database.limits, likePatternLength: 0 },
      attempt(() => database.exec("CREATE TABLE wide (a, b, c, d)")),
      attempt(() => database.exec("ATTACH ':memory:' AS other")),
      attempt(() => Object.assign(database.limits, { column: -1 })),
      attempt(() => Object.assign(database.limits, { column: "x" })),
      Object.assign(database.limits, { column: Number.POSITIVE_INFINITY }).column,
    ]
  },
  "calls functions": (database) => {
    const seen: unknown[] = []
    database.function("see", { varargs: true }, (...values) => seen.push(...values))
    database.prepare("SELECT see(1, 2.5, 'ü', NULL, x'0001')").get()
    const answers: unknown[] = [undefined, null, 1, "text", 5n, new Uint8Array([1]), 2n ** 64n, {}, Promise.resolve(1), () => 1]
    const answered = answers.map((value) => {
      database.function("answer", () => wrong(value))
      return attempt(() => database.prepare("SELECT answer() AS a, typeof(answer()) AS t").get())
    })
    database.function("two", (_one, _two) => 1)
    return [seen, answered, attempt(() => database.exec("SELECT two(1)"))]
  },
  "throws an error in a function": (database) => {
    const error = new Error("boom")
    database.function("fail", () => {
      throw error
    })
    const caught = (run: () => unknown) => {
      try {
        return run()
      } catch (thrown) {
        return thrown === error
      }
    }
    const statement = database.prepare("SELECT fail()")
    return [caught(() => statement.get()), caught(() => [...statement.iterate()]), caught(() => database.exec("SELECT fail()"))]
  },
  "defines functions incorrectly": (database) => [
    attempt(() => database.function(wrong(1), () => 1)),
    attempt(() => database.function("f", wrong("g"))),
    attempt(() => database.function("f", wrong({ varargs: 1 }), () => 1)),
    attempt(() => database.function("x".repeat(300), () => 1)),
    attempt(() => database.aggregate("f", wrong({ step: () => 1 }))),
    attempt(() => database.aggregate("f", wrong({ start: 0 }))),
    attempt(() => database.aggregate("f", wrong({ start: 0, step: () => 1, inverse: 1 }))),
  ],
  "uses aggregates and window functions": (database) => {
    database.exec("CREATE TABLE n (x, y); INSERT INTO n VALUES ('a', 4), ('b', 5), ('c', 3), ('d', 8)")
    const calls: string[] = []
    database.aggregate<number>("total", {
      start: () => 0,
      step: (sum, value) => {
        calls.push(`+${value}`)
        return sum + Number(value)
      },
      inverse: (sum, value) => {
        calls.push(`-${value}`)
        return sum - Number(value)
      },
      result: (sum) => sum * 10,
    })
    database.aggregate("plain", { start: 0, step: (sum, value) => Number(sum) + Number(value) })
    return [
      database.prepare("SELECT x, total(y) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS t FROM n").all(),
      database.prepare("SELECT total(y) AS t, plain(y) AS p FROM n").get(),
      database.prepare("SELECT plain(y) AS p FROM n WHERE 0").get(),
      attempt(() => database.exec("SELECT plain(y) OVER () FROM n")),
      calls,
    ]
  },
  "sets an authorizer": (database, { constants }) => {
    database.exec(rows)
    const asked: unknown[] = []
    const early = database.prepare("SELECT a FROM t")
    database.setAuthorizer((...action) => {
      asked.push(action)
      return action[2] === "b" ? constants.SQLITE_IGNORE : constants.SQLITE_OK
    })
    const ignored = database.prepare("SELECT a, b FROM t").get()
    database.exec("UPDATE t SET a = 1 WHERE id = 2; CREATE TABLE v (x); PRAGMA user_version")
    early.get()
    const answers = [1, 3, "0", undefined].map((answer) => {
      database.setAuthorizer(() => wrong(answer))
      return attempt(() => database.exec("SELECT 1"))
    })
    database.setAuthorizer(null)
    return [ignored, asked, answers, early.get(), attempt(() => database.setAuthorizer(wrong("x")))]
  },
  "keeps statements in a tag store": (database) => {
    database.exec(rows)
    const tags = database.createTagStore(2)
    const found = [tags.get`SELECT a FROM t WHERE id = ${1}`, tags.all`SELECT id FROM t`, [...tags.iterate`SELECT ${5n} AS five`]]
    return [
      found,
      tags.run`DELETE FROM t WHERE id = ${2}`,
      tags.size,
      tags.capacity,
      tags.db === database,
      attempt(() => tags.get`SELECT ? AS a`),
      attempt(() => tags.get`SELECT ${wrong({})} AS a`),
      attempt(() => wrong<{ get: (sql: string) => unknown }>(tags).get("SELECT 1")),
      attempt(() => database.createTagStore(0)),
    ]
  },
  "describes columns": (database) => {
    database.exec(`${rows}; CREATE TABLE w (id INTEGER PRIMARY KEY, v VARCHAR(10)); CREATE VIEW x AS SELECT id AS q, v FROM w`)
    const queries = [
      "* FROM t",
      "id, v AS named FROM w",
      "v || 'x', rowid FROM w",
      "* FROM x",
      "t.a, w.v FROM t, w",
      "v FROM (SELECT v FROM w)",
    ]
    return queries.map((query) => database.prepare(`SELECT ${query}`).columns())
  },
  "changes the schema while a statement is prepared": (database) => {
    database.exec(rows)
    const statement = database.prepare("SELECT * FROM t WHERE id = 1")
    const before = statement.get()
    database.exec("ALTER TABLE t ADD COLUMN c DEFAULT 5; ALTER TABLE t RENAME COLUMN a TO renamed")
    return [before, statement.get()]
  },
  "stores text in UTF-16": (database) => {
    database.exec("PRAGMA encoding = 'UTF-16le'; CREATE TABLE u (a)")
    database.prepare("INSERT INTO u VALUES (?)").run("héllo€😀")
    return database.prepare("SELECT a, a || 'x' AS b, length(a) AS l FROM u").get()
  },
  "serializes and deserializes": (database, { DatabaseSync }) => {
    database.exec(rows)
    const other = new DatabaseSync(":memory:")
    const statement = other.prepare("SELECT 1")
    const bytes = wrong<{ serialize: () => Uint8Array }>(database).serialize()
    wrong<{ deserialize: (bytes: Uint8Array) => void }>(other).deserialize(bytes)
    return [other.prepare("SELECT * FROM t").all(), attempt(() => statement.get()), other.exec("INSERT INTO t VALUES (9, 9, 9)")]
  },
}

describe.each(Object.keys(programs))("a program that %s", (name) => {
  it("has the same outcome as in node:sqlite", () => {
    const program = programs[name] ?? expect.unreachable()
    // The Node.js 26 types have more members; the programs use only those in Node.js 24.
    expect(outcome(ours, program)).toBe(outcome(native as unknown as Engine, program))
  })
})

describe("a file", () => {
  const onFile = (engine: Engine, file: (name: string) => string) => {
    const path = file("a b%20#?.db")
    const database = new engine.DatabaseSync(path)
    database.exec(rows)
    database.close()
    const reader = new engine.DatabaseSync(path, { readOnly: true })
    const answers = [
      reader.location() === path,
      reader.prepare("SELECT count(*) AS n FROM t").get(),
      attempt(() => reader.exec("DELETE FROM t")),
    ]
    reader.close()
    const missing = [{ readOnly: true }, {}].map((options, index) =>
      attempt(() => new engine.DatabaseSync(file(index === 0 ? "missing.db" : "no/folder.db"), options)),
    )
    return inspect([answers, missing], { depth: 5 })
  }

  it("has the same results and errors as in node:sqlite if it is written, opened read-only or missing", () => {
    expect(onFile(ours, temporaryFolder())).toBe(onFile(native as unknown as Engine, temporaryFolder()))
  })
})

describe("an unsupported or unsafe call", () => {
  const notImplemented = { code: "ERR_METHOD_NOT_IMPLEMENTED" }
  const database = new ours.DatabaseSync(":memory:", { allowExtension: true })

  it("throws ERR_METHOD_NOT_IMPLEMENTED from deserialize into a file and from loadExtension", () => {
    const file = new ours.DatabaseSync(temporaryFolder()("file.db"))
    expect(attempt(() => file.deserialize(database.serialize()))).toMatchObject(notImplemented)
    file.close()
    expect(attempt(() => database.loadExtension("extension"))).toMatchObject(notImplemented)
  })

  it("throws RangeError from an infinite recursion of functions, and leaves the connection usable", () => {
    database.function("deeper", () => Number(database.prepare("SELECT deeper() AS a").get()?.["a"]))
    expect(attempt(() => database.exec("SELECT deeper()"))).toMatchObject({ name: "RangeError" })
    expect(database.prepare("SELECT 1 AS one").get()).toEqual({ one: 1 })
  })

  it("throws instead of resetting a running statement or closing a database in use", () => {
    let statement: ours.StatementSync | undefined
    database.function("again", () => {
      statement?.get()
      return 1
    })
    database.function("close", () => {
      database.close()
      return 1
    })
    const running = database.prepare("SELECT again()")
    statement = running
    const inUse = { code: "ERR_INVALID_STATE" }
    expect(attempt(() => running.get())).toMatchObject({ ...inUse, message: "statement is already being executed" })
    expect(attempt(() => database.exec("SELECT close()"))).toMatchObject(inUse)
    expect(database.isOpen).toBe(true)
  })
})

describe("deserialize", () => {
  it("replaces an in-memory database that is not empty, even if the new one has another page size", () => {
    const [from, to] = [new ours.DatabaseSync(":memory:"), new ours.DatabaseSync(":memory:")]
    from.exec("PRAGMA page_size = 1024; CREATE TABLE f (a); INSERT INTO f VALUES (1), (2); DELETE FROM f WHERE a = 1")
    to.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    to.deserialize(from.serialize())
    expect(to.prepare("SELECT rowid, a FROM f").all()).toEqual([{ rowid: 2, a: 2 }])
    expect(to.prepare("PRAGMA page_size").get()).toEqual({ page_size: 1024 })
    expect(() => to.prepare("SELECT * FROM t")).toThrow("no such table: t")
    to.exec("BEGIN; INSERT INTO f SELECT value FROM json_each('[3, 4, 5]'); CREATE TABLE g (a); COMMIT; VACUUM")
    expect(to.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" })
    to.exec("ATTACH ':memory:' AS other; CREATE TABLE other.o (a)")
    to.deserialize(new ours.DatabaseSync(":memory:").serialize(), { dbName: "other" })
    to.deserialize(from.serialize(), { dbName: "other" })
    expect(to.prepare("SELECT count(*) AS rows FROM other.f, g").get()).toEqual({ rows: 0 })
    from.close()
    to.close()
  })

  it("calls the authorizer for the same actions as in node:sqlite, and throws if it denies one", () => {
    const asked = [ours.DatabaseSync, native.DatabaseSync].map((Engine) => {
      const database = new Engine(":memory:")
      database.exec("CREATE TABLE t (a)")
      const actions: unknown[] = []
      database.setAuthorizer((...action) => {
        actions.push(action)
        return 0
      })
      const bytes = database.serialize()
      database.deserialize(bytes)
      database.setAuthorizer(() => 1)
      expect(() => database.deserialize(bytes)).toThrow(expect.objectContaining({ errcode: 23 }))
      database.close()
      return actions
    })
    expect(asked[0]).toEqual(asked[1])
  })
})
