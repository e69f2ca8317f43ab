/** Compares `@petstore/sqljs` with `node:sqlite` on identical files: a durable commit of one row, and a read of twenty. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { say } from "@petstore/harness/command-line"
import { DatabaseSync as SqljsDatabaseSync } from "@petstore/sqljs"
import { conditions, makeFolder, median, table } from "./session.ts"

const rounds = 5
const commits = 100
const reads = 500

/** The average time per call, in ms. */
const timeOf = (count: number, work: (index: number) => void): number => {
  const startedAt = performance.now()
  for (let index = 0; index < count; index += 1) work(index)
  return (performance.now() - startedAt) / count
}

const open = (folder: string, Engine: typeof DatabaseSync | typeof SqljsDatabaseSync, rows: number, journal: string) => {
  const database = new Engine(join(folder, `${Engine === DatabaseSync ? "native" : "sqljs"}-${rows}-${journal}.db`))
  database.exec(`PRAGMA journal_mode = ${journal}; PRAGMA synchronous = FULL`)
  database.exec("CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL, number INTEGER NOT NULL)")
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
    INSERT INTO items SELECT n, 'item number ' || n, n FROM numbers`)
  const update = database.prepare("UPDATE items SET number = number + 1 WHERE id = ?")
  const read = database.prepare("SELECT id, name, number FROM items WHERE id > ? ORDER BY id LIMIT 20")
  return {
    commit: () => timeOf(commits, (index) => void update.run(1 + ((index * 7919) % rows))),
    read: () => timeOf(reads, (index) => void read.all((index * 7919) % rows)),
    close: () => database.close(),
  }
}

export const run = async (): Promise<void> => {
  const folder = makeFolder("engines")
  const rows: Array<ReadonlyArray<string | number>> = []
  for (const size of [1_000, 1_000_000]) {
    for (const journal of ["DELETE", "WAL"]) {
      const native = open(folder, DatabaseSync, size, journal)
      const sqljs = open(folder, SqljsDatabaseSync, size, journal)
      const ratios = Array.from({ length: rounds }, () => ({
        commit: sqljs.commit() / native.commit(),
        read: sqljs.read() / native.read(),
      }))
      const cell = (pick: "commit" | "read") => median(ratios.map((ratio) => ratio[pick])).toFixed(2)
      rows.push([size, journal, cell("commit"), cell("read")])
      native.close()
      sqljs.close()
    }
  }
  say(`${conditions(`medians of ${rounds} interleaved rounds`)}\n`)
  say(table(["rows", "journal", "commit of one row, × node:sqlite", "read of 20 rows, × node:sqlite"], rows))
}
