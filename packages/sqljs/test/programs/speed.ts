/** Compares the speed of this package with that of node:sqlite. Runs both alternately, and prints the medians and their ratio. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync as NativeDatabase } from "node:sqlite"
import { DatabaseSync } from "../../dist/index.js"

const folder = mkdtempSync(join(tmpdir(), "sqljs-speed-"))
const engines = [NativeDatabase, DatabaseSync]
type Database = NativeDatabase | DatabaseSync

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN

/** Runs the work on both engines alternately, `repeated` times for each measurement. */
const compare = (name: string, rounds: number, repeated: number, works: ReadonlyArray<(round: number) => unknown>) => {
  const times: number[][] = works.map(() => [])
  for (let round = 0; round < rounds; round++) {
    works.forEach((work, which) => {
      const start = performance.now()
      for (let time = 0; time < repeated; time++) work(round)
      times[which]?.push(((performance.now() - start) * 1000) / repeated)
    })
  }
  const [native = 0, ours = 0] = times.map(median)
  process.stdout.write(
    `${name}: sqljs ${ours.toFixed(1)} µs, node:sqlite ${native.toFixed(1)} µs, ratio ${(ours / native).toFixed(2)}\n`,
  )
}

const create = (path: string): string => {
  const database = new NativeDatabase(path)
  database.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y')")
  database.close()
  return path
}
const get = (database: Database) => database.prepare("SELECT b FROM t WHERE a = ?")
const files = engines.map((_, which) => Array.from({ length: 200 }, (_, round) => create(join(folder, `${which}-${round}.db`))))
const opening = engines.map((Engine, which) => (round: number) => {
  const database = new Engine(files[which]?.[round] ?? "")
  get(database).get(1)
  database.close()
})
for (const open of opening) for (let round = 0; round < 50; round++) open(round)
compare("open, get and close, with no other file open", 200, 1, opening)
const other = new DatabaseSync(create(join(folder, "other.db")))
get(other).get(1)
compare("open, get and close, with another file open", 200, 1, opening)

const gets = engines.map((Engine, which) => {
  const statement = get(new Engine(files[which]?.[0] ?? ""))
  return () => statement.get(1)
})
for (const one of gets) for (let time = 0; time < 20_000; time++) one()
compare("get on a file", 5000, 10, gets)

const inMemory = engines.map((Engine) => {
  const database = new Engine(":memory:")
  database.exec(`CREATE TABLE t (a, b);
    WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) INSERT INTO t SELECT i, hex(randomblob(40)) FROM n`)
  return () => database.serialize()
})
compare("serialize 2 MB", 40, 1, inMemory)
rmSync(folder, { recursive: true })
