/** Two owners of one file: the second waits or is refused, and neither damages it. */
import { execFileSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync as NativeDatabase } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { describe, expect, it } from "vitest"
import { DatabaseSync } from "../src/index.js"
import { runProgram } from "./programs/run-program.js"
import { temporaryFolder } from "./temporary-folder.js"

const busy = { code: "ERR_SQLITE_ERROR", errcode: 5, message: "database is locked" }
const table = "CREATE TABLE rows (id INTEGER PRIMARY KEY, writer TEXT, batch INTEGER, filling BLOB)"

const errorOf = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (thrown) {
    return thrown
  }
}

describe.each(["delete", "wal"])("two processes that write with journal_mode %s", (journal) => {
  it("keep every batch that either acknowledged", { timeout: 60_000 }, async () => {
    const path = temporaryFolder()("two.db")
    const created = new DatabaseSync(path)
    created.exec(table)
    created.close()
    const writers = ["a", "b"].map((name) => runProgram("writer.ts", [path, journal, name, "1200"]))
    const acknowledged = await Promise.all(writers.map(({ lines }) => lines))
    const judge = new NativeDatabase(path)
    expect(judge.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" })
    const kept = judge.prepare("SELECT count(*) AS rows, count(DISTINCT writer || batch) AS batches FROM rows").get()
    const batches = acknowledged.flat().length
    expect(batches).toBeGreaterThan(1)
    expect(kept).toEqual({ rows: batches * 150, batches })
    judge.close()
  })
})

describe("a file that another process is writing", () => {
  const held = async (name: string, millis: number) => {
    const path = temporaryFolder()(name)
    const created = new DatabaseSync(path)
    created.exec(table)
    created.close()
    const holder = runProgram("holder.ts", [path, String(millis)])
    await holder.started
    return { path, holder }
  }

  it("is refused at once without a timeout, for reading too", async () => {
    const { path, holder } = await held("refused.db", 60_000)
    const database = new DatabaseSync(path)
    expect(errorOf(() => database.exec("INSERT INTO rows (writer) VALUES ('second')"))).toMatchObject(busy)
    expect(errorOf(() => database.prepare("SELECT * FROM rows").all())).toMatchObject(busy)
    holder.kill()
    await holder.lines
    database.close()
  })

  it("is waited for with a timeout", async () => {
    const { path, holder } = await held("waited.db", 300)
    const database = new DatabaseSync(path, { timeout: 20_000 })
    database.exec("INSERT INTO rows (writer) VALUES ('second')")
    expect(await holder.lines).toStrictEqual(["held", "released"])
    expect(database.prepare("SELECT writer FROM rows").all()).toEqual([{ writer: "holder" }, { writer: "second" }])
    database.close()
  })

  it("is free again when that process is killed, and its transaction is rolled back", async () => {
    const { path, holder } = await held("killed.db", 60_000)
    expect(readdirSync(dirname(path))).toContain("killed.db-lock")
    holder.kill()
    await holder.lines
    const database = new DatabaseSync(path)
    database.exec("INSERT INTO rows (writer) VALUES ('second')")
    expect(database.prepare("SELECT writer FROM rows").all()).toEqual([{ writer: "second" }])
    database.close()
    expect(readdirSync(dirname(path))).toStrictEqual(["killed.db"])
  })
})

it("keeps a database in WAL mode to one owner until it is closed", async () => {
  const path = temporaryFolder()("wal.db")
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = wal; ${table}; INSERT INTO rows (writer) VALUES ('first')`)
  const second = `
    const { parentPort } = require("node:worker_threads")
    import(${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)}).then(({ DatabaseSync }) => {
      const database = new DatabaseSync(${JSON.stringify(path)})
      try {
        parentPort.postMessage(database.prepare("SELECT writer FROM rows").all().length)
      } catch (thrown) {
        parentPort.postMessage(thrown.errcode)
      }
      database.close()
    })`
  const ask = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(second, { eval: true })
      worker.on("message", resolve)
      worker.on("error", reject)
    })
  expect(await ask()).toBe(5)
  database.close()
  expect(await ask()).toBe(1)
})

it("lets connections of one thread share a file as SQLite does", () => {
  const path = temporaryFolder()("shared.db")
  const [one, two] = [new DatabaseSync(path), new DatabaseSync(path)]
  one.exec(`${table}; BEGIN IMMEDIATE; INSERT INTO rows (writer) VALUES ('one')`)
  expect(two.prepare("SELECT count(*) AS rows FROM rows").get()).toEqual({ rows: 0 })
  expect(errorOf(() => two.exec("BEGIN IMMEDIATE"))).toMatchObject(busy)
  one.exec("COMMIT")
  expect(two.prepare("SELECT count(*) AS rows FROM rows").get()).toEqual({ rows: 1 })
  one.close()
  two.close()
})

describe("a lock left in the folder", () => {
  const owner = { token: "0123456789abcdef", started: "1", boot: "another", pidNamespace: "pid:[1]", pid: 1 }

  it("is taken over if it is of this host before it started anew", async () => {
    const { hostname } = await import("node:os")
    const path = temporaryFolder()("restarted.db")
    writeFileSync(`${path}-lock`, JSON.stringify({ ...owner, host: hostname() }))
    const database = new DatabaseSync(path)
    database.exec(table)
    database.close()
    expect(readdirSync(dirname(path))).toStrictEqual(["restarted.db"])
  })

  it("is taken over if a power cut left it empty", () => {
    const path = temporaryFolder()("empty.db")
    writeFileSync(`${path}-lock`, "")
    const database = new DatabaseSync(path)
    database.exec(table)
    database.close()
  })

  // Namespaces of process ids are Linux's.
  it.skipIf(process.platform !== "linux")("of another container is taken over once nobody reads its sign of life", async () => {
    const { readFileSync, readlinkSync, closeSync, openSync, constants } = await import("node:fs")
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()
    expect(readlinkSync("/proc/self/ns/pid")).not.toBe(owner.pidNamespace)
    const path = temporaryFolder()("container.db")
    const alive = `${path}-lock-${owner.token}-0-alive`
    execFileSync("mkfifo", [alive])
    const reader = openSync(alive, constants.O_RDONLY | constants.O_NONBLOCK)
    writeFileSync(`${path}-lock`, JSON.stringify({ ...owner, boot, alive, host: "another-container" }))
    const database = new DatabaseSync(path)
    expect(errorOf(() => database.exec(table))).toMatchObject(busy)
    closeSync(reader)
    database.exec(table)
    database.close()
  })

  it("is respected, with a warning, if its owner's life cannot be seen from here", async () => {
    const path = temporaryFolder()("foreign.db")
    writeFileSync(`${path}-lock`, JSON.stringify({ ...owner, host: "another-host" }))
    const warning = new Promise<Error>((resolve) => process.once("warning", resolve))
    const database = new DatabaseSync(path)
    expect(errorOf(() => database.exec(table))).toMatchObject(busy)
    database.close()
    expect((await warning).message).toContain(`${path}-lock is held by process 1 of host another-host`)
  })
})
