/** Result columns have the same origins as in `node:sqlite`, for any statement. */
import { DatabaseSync as NativeDatabase } from "node:sqlite"
import { expect, it } from "vitest"
import { DatabaseSync } from "../src/index.js"

const schema = `
  CREATE TABLE t (
    id INTEGER PRIMARY KEY, a TEXT, b, c VARCHAR(10) COLLATE NOCASE, d INT GENERATED ALWAYS AS (id + 1) VIRTUAL, e BLOB
  );
  CREATE TABLE w (x TEXT, y INT, z, PRIMARY KEY (y, x)) WITHOUT ROWID;
  CREATE TABLE n (p, q "My Type");
  CREATE INDEX i ON t (a, b);
  CREATE VIEW v AS SELECT id, a AS aa, b, upper(a) AS u, rowid AS r FROM t;
  CREATE VIEW v2 AS SELECT * FROM v JOIN w ON w.y = v.id;
  CREATE TEMP TABLE k (k INTEGER PRIMARY KEY, v);
  CREATE VIRTUAL TABLE f USING fts4(body, title);
  CREATE TABLE s (a INTEGER, b ANY) STRICT;
  CREATE TABLE "quo""ted" ("a b" TEXT, [c d] INT);
  ATTACH ':memory:' AS other;
  CREATE TABLE other.t (id INTEGER PRIMARY KEY, a REAL, zz);
  CREATE TRIGGER g INSTEAD OF INSERT ON v BEGIN INSERT INTO t (a) VALUES (new.aa); END;
  CREATE TABLE refers (p REFERENCES t (id), q TEXT)`

const open = (Database: typeof DatabaseSync | typeof NativeDatabase) => {
  const database = new Database(":memory:")
  database.exec(schema)
  return database
}

it.each([
  "SELECT * FROM t",
  "SELECT id, rowid, oid, _rowid_, a FROM t",
  "SELECT y, z, x FROM w ORDER BY z",
  "SELECT rowid, p, q FROM n",
  "SELECT k.rowid FROM n k JOIN n l",
  "SELECT rowid FROM (SELECT rowid FROM n)",
  "SELECT coalesce(a, b), coalesce(b, a), ifnull(b, 1), nullif(b, a), iif(a, b, b), CASE WHEN a THEN b ELSE b END FROM t",
  "SELECT CAST(a AS INT), CAST(b AS INT), a COLLATE NOCASE, b COLLATE NOCASE AS x, +a, +b AS y, (a), (b) FROM t",
  "SELECT * FROM v",
  "SELECT * FROM v2",
  "SELECT count(*), max(a), min(b), a, b, group_concat(b) FROM t GROUP BY a",
  "SELECT DISTINCT a, b FROM t ORDER BY b",
  "SELECT a FROM t UNION SELECT x FROM w",
  "SELECT a, b FROM t UNION ALL SELECT x, z FROM w ORDER BY 1",
  "WITH c AS (SELECT a AS aa, b FROM t) SELECT aa, b, c.b FROM c",
  "WITH RECURSIVE c (n) AS (SELECT id FROM t UNION ALL SELECT n + 1 FROM c) SELECT n FROM c",
  "INSERT INTO t (a) VALUES (1) RETURNING *",
  "INSERT INTO t (id, a) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET a = excluded.a RETURNING id, a, rowid, a || 'x'",
  "INSERT INTO t (a) VALUES (1) RETURNING id, rowid, a || 'x', b",
  "INSERT INTO v (aa) VALUES (1) RETURNING aa",
  "UPDATE t SET a = 1 RETURNING a, b",
  "DELETE FROM w RETURNING x, y",
  "EXPLAIN SELECT * FROM t",
  "EXPLAIN QUERY PLAN SELECT a FROM t",
  ";SELECT a FROM t",
  " ; ; /* comment */ SELECT a FROM t -- end",
  "SELECT (SELECT a FROM t), (SELECT b FROM t), exists(SELECT 1), (SELECT max(a) FROM t)",
  "SELECT a, b, row_number() OVER (ORDER BY b), first_value(a) OVER () FROM t",
  "SELECT * FROM k",
  "SELECT zz, t2.a, t2.rowid FROM other.t t2",
  "SELECT * FROM f",
  "SELECT body FROM f WHERE f MATCH 'x'",
  "PRAGMA table_info(t)",
  "SELECT name, type FROM pragma_table_info('t')",
  "SELECT key, value FROM json_each('[1]')",
  "SELECT * FROM sqlite_schema",
  "SELECT name FROM sqlite_temp_schema",
  "SELECT x.a, y.a, id FROM t x LEFT JOIN other.t y USING (id)",
  "SELECT * FROM t NATURAL JOIN other.t",
  "VALUES (1, 2)",
  "SELECT * FROM (SELECT a AS q, b FROM t LIMIT 3) ORDER BY q",
  'SELECT * FROM "quo""ted"',
  "SELECT a, b FROM s",
  "CREATE TABLE more (a)",
])("columns() returns the same columns as in node:sqlite: %s", (sql) => {
  const [ours, native] = [open(DatabaseSync), open(NativeDatabase)]
  expect(ours.prepare(sql).columns()).toEqual(native.prepare(sql).columns())
  // Reading the origins must not change the tables.
  ours.exec("INSERT INTO t (a, c) VALUES ('x', 'y')")
  expect(ours.prepare("SELECT id, a, c FROM t WHERE c = 'Y'").all()).toEqual([{ id: 1, a: "x", c: "y" }])
  expect(ours.prepare("SELECT type FROM pragma_table_info('t') WHERE name = 'c'").get()).toEqual({ type: "VARCHAR(10)" })
  ours.close()
  native.close()
})

it("columns() takes less than 5 times as long in a schema with 300 tables as in one with 3", () => {
  const schemaOf = (tables: number) => {
    const database = new DatabaseSync(":memory:")
    for (let table = 0; table < tables; table++) database.exec(`CREATE TABLE t${table} (a INTEGER PRIMARY KEY, b, c, d, e, f)`)
    return { database, statement: database.prepare("SELECT * FROM t1 JOIN t2 USING (a)"), fastest: Infinity }
  }
  const schemas = [schemaOf(300), schemaOf(3)] as const
  for (let round = 0; round < 200; round++) {
    for (const schema of schemas) {
      const startedAt = performance.now()
      schema.statement.columns()
      schema.fastest = Math.min(schema.fastest, performance.now() - startedAt)
    }
  }
  for (const { database } of schemas) database.close()
  const [large, small] = schemas
  expect(large.fastest / small.fastest).toBeLessThan(5)
})
