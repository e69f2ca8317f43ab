/**
 * Kills writers in the middle of commits, and reads databases whose bytes were changed.
 *
 * After a kill, this package or node:sqlite, in turn, must find every acknowledged batch and no partial batch. A changed database
 * may cause any SQLite error, but SQLite must continue. If node:sqlite finds no fault in the file, this package must return the
 * same rows.
 *
 * Arguments: seed, number of kills, number of databases. The program prints a summary. At the first loss, it prints the loss and
 * exits with code 1.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync as NativeDatabase } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { DatabaseSync } from "../../dist/index.js"
import { randomFrom } from "../random.ts"
import { runProgram, withPrograms } from "./run-program.ts"

const [seed = 1, kills = 1, databases = 1] = process.argv.slice(2).map(Number)
const folder = mkdtempSync(join(tmpdir(), "sqljs-survival-"))
const fail = (what: string): never => {
  throw new Error(`${what} (seed ${seed}, files in ${folder})`)
}

/**
 * Runs two writers at a time on the lane's own file, and kills both at the same time. Returns how many rounds left a journal or
 * a WAL.
 */
const kill = async (lane: number, count: number): Promise<number> => {
  const { next, pick } = randomFrom(seed * 2 + lane)
  const path = join(folder, `killed-${lane}.db`)
  let interrupted = 0
  const least = new Map<string, number>()
  for (let round = 0; round < count; round += 2) {
    const journal = pick(["delete", "truncate", "persist", "wal"])
    const writers = ["a", "b"].map((name) => ({
      name,
      ...runProgram("writer.ts", [path, journal, name, "0"], pick([[], withPrograms])),
    }))
    await Promise.race(writers.map(({ started }) => started))
    await setTimeout(next(60))
    for (const writer of writers) writer.kill()
    for (const { name, started, lines } of writers) {
      await started.catch(() => undefined)
      least.set(name, Math.max(least.get(name) ?? 0, ...(await lines).map(Number)))
    }
    if (existsSync(`${path}-journal`) || existsSync(`${path}-wal`)) interrupted++
    const database = round % 4 === 0 ? new NativeDatabase(path) : new DatabaseSync(path)
    for (const [name, batch] of least) {
      const [kept] = database.prepare("SELECT max(batch) AS batch FROM rows WHERE writer = ?").all(name)
      if (Number(kept?.["batch"] ?? 0) < batch) fail(`batch ${batch} of writer ${name} is lost after kill ${round}`)
    }
    const torn = database.prepare("SELECT batch FROM rows GROUP BY writer, batch HAVING count(*) <> 150").all()
    if (torn.length > 0) fail(`a batch is incomplete after kill ${round}`)
    if (database.prepare("PRAGMA integrity_check").get()?.["integrity_check"] !== "ok")
      fail(`the database is damaged after kill ${round}`)
    for (const [name, batch] of least) database.prepare("DELETE FROM rows WHERE writer = ? AND batch < ?").run(name, batch)
    database.close()
  }
  return interrupted
}

const queries = [
  "PRAGMA integrity_check(1)",
  "SELECT count(*), sum(a), max(length(b)) FROM t",
  "SELECT a, b FROM t INDEXED BY ib WHERE b > 'm' ORDER BY b LIMIT 20",
  "SELECT * FROM w ORDER BY k DESC LIMIT 20",
  "SELECT quote(c) FROM big",
  "SELECT rowid FROM f WHERE f MATCH 'word'",
  "SELECT * FROM v LIMIT 5",
  "UPDATE t SET b = 'changed' WHERE a % 7 = 0",
  "DELETE FROM w WHERE k % 3 = 0",
  "INSERT INTO big VALUES (zeroblob(9000))",
  "VACUUM",
]

/** A query's rows; `undefined` if SQLite reports an error. */
const rowsOf = (database: NativeDatabase | DatabaseSync, sql: string): string | undefined => {
  try {
    return JSON.stringify(database.prepare(sql).all())
  } catch (thrown) {
    if (thrown instanceof Error && "errcode" in thrown && thrown.errcode !== 7) return undefined
    throw thrown
  }
}

const mutate = (count: number): number => {
  const { next, pick } = randomFrom(seed + 77)
  const origin = join(folder, "origin.db")
  const made = new NativeDatabase(origin)
  made.exec(`PRAGMA page_size = 1024; CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); CREATE INDEX ib ON t (b);
    CREATE TABLE w (k PRIMARY KEY, x) WITHOUT ROWID; CREATE TABLE big (c); CREATE VIRTUAL TABLE f USING fts4 (body);
    CREATE VIEW v AS SELECT a, x FROM t JOIN w ON k = a; CREATE TRIGGER r AFTER UPDATE ON t BEGIN UPDATE w SET x = NEW.b WHERE k = NEW.a; END;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)
    INSERT INTO t SELECT i, 'text ' || i * 7919 % 1000 FROM n; INSERT INTO w SELECT a, b FROM t;
    INSERT INTO big VALUES (zeroblob(20000)), ('x'); INSERT INTO f SELECT 'word ' || b FROM t`)
  made.close()
  const bytes = readFileSync(origin)
  const kept = new DatabaseSync(":memory:")
  kept.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
  let intact = 0
  for (let round = 0; round < count; round++) {
    const changed = Buffer.from(bytes)
    for (let change = 0; change <= next(12); change++) {
      const page = next(bytes.length / 1024) * 1024
      // Page and cell headers matter most.
      changed[page + (next(3) === 0 ? next(1024) : next(40))] = pick([0, 1, 127, 128, 255, next(256)])
    }
    const results = [NativeDatabase, DatabaseSync].map((Engine) => {
      const path = join(folder, `mutated-${Engine === DatabaseSync ? "ours" : "native"}.db`)
      for (const rest of ["", "-journal", "-wal", "-shm"]) rmSync(`${path}${rest}`, { force: true })
      writeFileSync(path, changed)
      // Only this process uses the file, so it takes no locks, which would take longer than the queries.
      const database = new Engine(`file:${path}?nolock=1`)
      const rows = queries.map((sql) => rowsOf(database, sql))
      database.close()
      return rows
    })
    const [native = [], ours = []] = results
    if (native[0] === '[{"integrity_check":"ok"}]') {
      intact++
      // Skips the integrity check, because a newer SQLite detects more faults than an older one.
      const other = native.findIndex((rows, index) => index > 0 && rows !== ours[index])
      if (other > 0) fail(`database ${round} has different rows for ${queries[other]}`)
    }
    kept.exec("UPDATE t SET a = a + 1")
  }
  if (kept.prepare("SELECT a FROM t").get()?.["a"] !== count + 1) fail("another database was changed")
  return intact
}

try {
  const intact = mutate(databases)
  const interrupted = (await Promise.all([0, 1].map((lane) => kill(lane, Math.ceil(kills / 2))))).reduce((sum, one) => sum + one)
  rmSync(folder, { recursive: true, force: true })
  writeSync(1, `${kills} kills, ${interrupted} left a journal; ${databases} databases, ${intact} intact; nothing lost\n`)
} catch (thrown) {
  writeSync(1, `${thrown}\n`)
  process.exitCode = 1
}
