/** Acknowledged transactions survive `kill -9` completely, and native SQLite can read them. */
import { existsSync } from "node:fs"
import { DatabaseSync as NativeDatabase } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { DatabaseSync } from "../src/index.js"
import { runProgram } from "./programs/run-program.js"
import { temporaryFolder } from "./temporary-folder.js"

/** After `least` rounds, runs more until a kill has left a journal or WAL: a kill between transactions proves nothing. */
const rounds = { least: 2, most: 50 }

describe.each(["delete", "wal", "truncate"])("a process that is killed while it writes with journal_mode %s", (journal) => {
  it("loses no acknowledged batch and leaves no partial batch", async () => {
    const path = temporaryFolder()("killed.db")
    let acknowledged = 0
    let interrupted = 0
    for (let round = 0; round < rounds.least || (interrupted === 0 && round < rounds.most); round++) {
      const writer = runProgram("writer.ts", [path, journal, "a", "0"])
      await writer.started
      await setTimeout(5 + Math.random() * 40)
      writer.kill()
      const lines = await writer.lines
      expect(lines.length).toBeGreaterThan(0)
      acknowledged = Math.max(acknowledged, ...lines.map(Number))
      if (existsSync(`${path}-journal`) || existsSync(`${path}-wal`)) interrupted++
      // Native SQLite checks every second round, and leaves the killed process's lock to the next round's writer.
      const database = round % 2 === 0 ? new NativeDatabase(path) : new DatabaseSync(path)
      const last = database.prepare("SELECT max(batch) AS batch FROM rows").get()?.["batch"]
      expect(last).toBeGreaterThanOrEqual(acknowledged)
      acknowledged = Number(last)
      const torn = database.prepare("SELECT batch FROM rows GROUP BY batch HAVING count(*) <> 150").all()
      expect(torn).toStrictEqual([])
      expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" })
      database.close()
    }
    expect(interrupted).toBeGreaterThan(0)
  })
})

describe("a commit", () => {
  const stepsOf = (journal: string) => runProgram("trace.ts", [temporaryFolder()("traced.db"), journal]).lines

  it("writes and syncs the files in SQLite's order, and removes the rollback journal before it releases the lock", async () => {
    expect(await stepsOf("delete")).toStrictEqual([
      "write lock",
      "write journal",
      "sync journal",
      "sync folder",
      "write journal",
      "sync journal",
      "write file",
      "sync file",
      "remove journal",
      "write lock",
    ])
  })

  it("writes and syncs only the WAL in WAL mode", async () => {
    expect(await stepsOf("wal")).toStrictEqual(["write wal", "sync wal"])
  })
})

it("native SQLite can add rows to a file of this package, which then reads all rows", () => {
  const path = temporaryFolder()("shared.db")
  const ours = new DatabaseSync(path)
  ours.exec("CREATE TABLE t (a, b); INSERT INTO t VALUES (9007199254740993, x'00ff'), (1.5, 'ü')")
  ours.close()
  const native = new NativeDatabase(path)
  native.exec("INSERT INTO t VALUES (NULL, 'native')")
  native.close()
  const again = new DatabaseSync(path, { readBigInts: true })
  expect(again.prepare("SELECT * FROM t").all()).toEqual([
    { a: 9007199254740993n, b: new Uint8Array([0, 255]) },
    { a: 1.5, b: "ü" },
    { a: null, b: "native" },
  ])
  again.close()
})
