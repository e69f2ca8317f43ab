/** If two owners open one file, the second one waits or is refused. Neither damages the file. */
import { execFileSync } from "node:child_process"
import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync as NativeDatabase } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { describe, expect, it } from "vitest"
import { DatabaseSync, isInUse } from "../src/index.js"
import { errorOf } from "./outcome.js"
import { runProgram, withPrograms } from "./programs/run-program.js"
import { create, table } from "./rows-table.js"
import { temporaryFolder } from "./temporary-folder.js"

const busy = { code: "ERR_SQLITE_ERROR", errcode: 5, message: "database is locked" }

describe.each(["delete", "wal"])("two processes, one with the lock programs, that write with journal_mode %s", (journal) => {
  it("keep every acknowledged batch", async () => {
    const path = temporaryFolder()("two.db")
    create(path)
    const writers = [[], withPrograms].map((wrapper, index) =>
      runProgram("writer.ts", [path, journal, `w${index}`, "600"], wrapper),
    )
    const acknowledged = await Promise.all(writers.map(({ lines }) => lines))
    const native = new NativeDatabase(path)
    expect(native.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" })
    const kept = native.prepare("SELECT count(*) AS rows, count(DISTINCT writer || batch) AS batches FROM rows").get()
    const batches = acknowledged.flat().length
    expect(batches).toBeGreaterThan(1)
    expect(kept).toEqual({ rows: batches * 150, batches })
    native.close()
  })
})

describe("a file that another process is writing to", () => {
  const held = async (name: string, millis: number) => {
    const path = temporaryFolder()(name)
    create(path)
    const holder = runProgram("holder.ts", [path, String(millis)])
    await holder.started
    return { path, holder }
  }

  it("is refused immediately, even for reading, if no timeout is set", async () => {
    const { path, holder } = await held("refused.db", 60_000)
    const database = new DatabaseSync(path)
    expect(errorOf(() => database.exec("INSERT INTO rows (writer) VALUES ('second')"))).toMatchObject(busy)
    expect(errorOf(() => database.prepare("SELECT * FROM rows").all())).toMatchObject(busy)
    holder.kill()
    await holder.lines
    database.close()
  })

  it("becomes available within the timeout", async () => {
    const { path, holder } = await held("waited.db", 300)
    const database = new DatabaseSync(path, { timeout: 20_000 })
    database.exec("INSERT INTO rows (writer) VALUES ('second')")
    expect(await holder.lines).toStrictEqual(["held", "released"])
    expect(database.prepare("SELECT writer FROM rows").all()).toEqual([{ writer: "holder" }, { writer: "second" }])
    database.close()
  })

  it("is available again, without the other process's transaction, after that process is killed", async () => {
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

it("an owner of a database in WAL mode excludes other owners until it closes the database", async () => {
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

it("connections in one thread can share a file, as in SQLite", () => {
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
  const lockedBy = (path: string) => errorOf(() => new DatabaseSync(path, { timeout: 50 }).exec(table))

  it("is taken over once no process reads its FIFO, for example after a container dies", () => {
    const path = temporaryFolder()("container.db")
    const sign = `${path}-lock-0123456789abcdef`
    execFileSync("mkfifo", ["-m", "622", sign])
    linkSync(sign, `${path}-lock`)
    const reader = openSync(sign, constants.O_RDONLY | constants.O_NONBLOCK)
    const database = new DatabaseSync(path)
    expect(errorOf(() => database.exec(table))).toMatchObject(busy)
    closeSync(reader)
    database.exec(table)
    database.close()
    database.open()
    expect(database.prepare("SELECT * FROM rows").all()).toEqual([])
    database.close()
    expect(readdirSync(dirname(path))).toStrictEqual(["container.db"])
  })

  it("is taken over in a copy of the folder made during a transaction, without the FIFOs", () => {
    const file = temporaryFolder()
    for (const name of ["here", "there"]) mkdirSync(file(name))
    const database = new DatabaseSync(file("here/one.db"))
    database.exec(`${table}; BEGIN EXCLUSIVE`)
    for (const name of ["one.db", "one.db-lock"]) copyFileSync(file(`here/${name}`), file(`there/${name}`))
    const copy = new DatabaseSync(file("there/one.db"))
    copy.exec("INSERT INTO rows (writer) VALUES (1)")
    copy.close()
    database.close()
    expect(readdirSync(file("there"))).toStrictEqual(["one.db"])
  })

  it("is taken over in a moved folder", () => {
    const file = temporaryFolder()
    mkdirSync(file("here"))
    execFileSync("mkfifo", [file("here/moved.db-lock")])
    renameSync(file("here"), file("there"))
    const database = new DatabaseSync(file("there/moved.db"))
    database.exec(table)
    database.close()
    expect(readdirSync(file("there"))).toStrictEqual(["moved.db"])
  })

  it("is taken over even if another process died during an earlier takeover", () => {
    const path = temporaryFolder()("guarded.db")
    for (const name of ["lock", "lock-guard", "lock-guard-guard"]) execFileSync("mkfifo", [`${path}-${name}`])
    const database = new DatabaseSync(path)
    database.exec(table)
    database.close()
    expect(readdirSync(dirname(path))).toStrictEqual(["guarded.db"])
  })

  it("is respected if its owner may still be alive, and a warning explains how to free it", async () => {
    const path = temporaryFolder()("foreign.db")
    writeFileSync(`${path}-lock`, "{}")
    const warning = new Promise<Error>((resolve) => process.once("warning", resolve))
    expect(lockedBy(path)).toMatchObject(busy)
    expect((await warning).message).toBe(
      `The lock file ${path}-lock keeps the database locked, and its owner may still be alive: the file does not contain a table of owners. If no process uses the database, remove the lock file.`,
    )
  })
})

describe("the lock of an owner that exits", () => {
  const inWorker = (script: string) =>
    new Promise<number>((resolve, reject) => {
      const source = `import(${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)}).then(({ DatabaseSync }) => {
        ${script}
      })`
      const worker = new Worker(source, { eval: true })
      worker.on("error", reject)
      worker.on("exit", resolve)
    })

  it.each([
    ["a WAL", "database.exec('PRAGMA journal_mode = wal; INSERT INTO rows (writer) VALUES (1)')"],
    ["a transaction", "database.exec('BEGIN IMMEDIATE; INSERT INTO rows (writer) VALUES (1)')"],
    ["an iterator", "globalThis.iterator = database.prepare('SELECT * FROM sqlite_schema').iterate(); iterator.next()"],
  ])("is released when a worker thread exits with %s open", async (_, script) => {
    const path = temporaryFolder()("worker.db")
    create(path)
    await inWorker(`globalThis.database = new DatabaseSync(${JSON.stringify(path)}); ${script}`)
    const database = new DatabaseSync(path)
    database.exec("INSERT INTO rows (writer) VALUES ('next')")
    expect(database.prepare("SELECT count(*) AS rows FROM rows WHERE writer = 'next'").get()).toEqual({ rows: 1 })
    database.close()
  })

  it("is not inherited by the owner's child processes", async () => {
    const path = temporaryFolder()("parent.db")
    create(path)
    const parent = runProgram("parent.ts", [path])
    await parent.started
    const database = new DatabaseSync(path)
    expect(errorOf(() => database.exec("DELETE FROM rows"))).toMatchObject(busy)
    parent.kill()
    const [child] = await parent.lines
    expect(() => process.kill(Number(child), 0)).not.toThrow()
    database.exec("DELETE FROM rows")
    database.close()
    process.kill(Number(child), "SIGKILL")
  })
})

describe("a file with two names", () => {
  const linked = () => {
    const file = temporaryFolder()
    create(file("one.db"))
    return { one: file("one.db"), two: file("two.db") }
  }

  it("keeps every batch from two processes that write under different names", async () => {
    const { one, two } = linked()
    linkSync(one, two)
    const writers = [one, two].map((path, index) => runProgram("writer.ts", [path, "delete", `w${index}`, "600"]))
    const batches = (await Promise.all(writers.map(({ lines }) => lines))).flat().length
    const native = new NativeDatabase(one)
    expect(native.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" })
    expect(batches).toBeGreaterThan(1)
    expect(native.prepare("SELECT count(*) AS rows FROM rows").get()).toEqual({ rows: batches * 150 })
    native.close()
  })

  it("is refused under its new name while a process still has it open from before the link existed", async () => {
    const { one, two } = linked()
    const holder = runProgram("holder.ts", [one, "60000"])
    await holder.started
    linkSync(one, two)
    const database = new DatabaseSync(two)
    expect(errorOf(() => database.exec("DELETE FROM rows"))).toMatchObject({
      errcode: 5,
      message: "database is locked: the file has more than one link, so it must not be open anywhere else",
    })
    holder.kill()
    await holder.lines
    database.close()
  })
})

it("an owner locks a database even if its name ends with -shm", async () => {
  const path = temporaryFolder()("database-shm")
  create(path)
  const holder = runProgram("holder.ts", [path, "60000"])
  await holder.started
  const database = new DatabaseSync(path)
  expect(errorOf(() => database.exec("DELETE FROM rows"))).toMatchObject(busy)
  holder.kill()
  await holder.lines
  database.exec("PRAGMA journal_mode = wal; DELETE FROM rows")
  database.close()
})

// Only Linux has /proc/locks. Native SQLite runs in another process, because a process that closes a file loses its locks on it.
describe.skipIf(process.platform !== "linux")("a file that native SQLite has open", () => {
  const native = async (sql: string) => {
    const path = temporaryFolder()("native.db")
    const created = new NativeDatabase(path)
    created.exec(table)
    created.close()
    const holder = runProgram("native-holder.ts", [path, sql])
    await holder.started
    return { holder, path, database: new DatabaseSync(path) }
  }

  it("is refused while a native transaction writes, and is available afterwards", async () => {
    const { holder, database } = await native("BEGIN EXCLUSIVE")
    expect(errorOf(() => database.prepare("SELECT * FROM rows").all())).toMatchObject(busy)
    expect(errorOf(() => database.exec("DELETE FROM rows"))).toMatchObject(busy)
    holder.kill()
    await holder.lines
    database.exec("INSERT INTO rows (writer) VALUES (1)")
    database.close()
  })

  it("can be read but not written while a native transaction reads", async () => {
    const { holder, database } = await native("BEGIN; SELECT * FROM rows")
    expect(database.prepare("SELECT * FROM rows").all()).toEqual([])
    expect(errorOf(() => database.exec("INSERT INTO rows (writer) VALUES (1)"))).toMatchObject(busy)
    holder.kill()
    await holder.lines
    database.close()
  })

  it("is refused in WAL mode while a native connection is open", async () => {
    const { holder, path, database } = await native("PRAGMA journal_mode = wal; INSERT INTO rows (writer) VALUES (1)")
    expect(errorOf(() => database.prepare("SELECT * FROM rows").all())).toMatchObject(busy)
    expect(isInUse(path)).toBe(true)
    holder.kill()
    await holder.lines
    expect(isInUse(path)).toBe(false)
    expect(database.prepare("SELECT count(*) AS rows FROM rows").get()).toEqual({ rows: 1 })
    database.close()
  })
})

describe("isInUse", () => {
  it("returns true while another process has the file open, and false for this thread's own connections", async () => {
    const path = temporaryFolder()("used.db")
    expect(isInUse(path)).toBe(false)
    const database = new DatabaseSync(path)
    database.exec(table)
    expect(isInUse(path)).toBe(false)
    const idle = runProgram("idle.ts", [path])
    await idle.started
    expect(isInUse(path)).toBe(true)
    database.exec("BEGIN EXCLUSIVE; ROLLBACK")
    idle.kill()
    await idle.lines
    expect(isInUse(path)).toBe(false)
    database.close()
    expect(isInUse(path)).toBe(false)
  })
})

it("a folder has no lock files after several processes open, read and close one file concurrently", async () => {
  const path = temporaryFolder()("visited.db")
  create(path)
  const visitors = Array.from({ length: 4 }, () => runProgram("visitor.ts", [path, "12"]))
  await Promise.all(visitors.map(({ started }) => started))
  expect(isInUse(path)).toBe(false)
  for (const { kill } of visitors) kill()
  await Promise.all(visitors.map(({ lines }) => lines))
  expect(readdirSync(dirname(path))).toStrictEqual(["visited.db"])
})

it("close() removes the lock files of a process that exited without closing the database", async () => {
  const path = temporaryFolder()("left.db")
  const database = new DatabaseSync(path)
  database.exec(table)
  const idle = runProgram("idle.ts", [path])
  await idle.started
  idle.kill()
  await idle.lines
  database.close()
  expect(readdirSync(dirname(path))).toStrictEqual(["left.db"])
})

describe("a file that is moved during a transaction", () => {
  const inTransaction = () => {
    const file = temporaryFolder()
    for (const name of ["here", "there"]) mkdirSync(file(name))
    const database = new DatabaseSync(file("here/one.db"))
    database.exec(`${table}; BEGIN IMMEDIATE; INSERT INTO rows (writer) VALUES ('first')`)
    return { file, database }
  }
  const rowsOf = async (path: string) => (await runProgram("reader.ts", [path, "false"]).lines)[0]

  it.each(["here/two.db", "there/one.db"])("is also locked under the name %s", async (name) => {
    const { file, database } = inTransaction()
    renameSync(file("here/one.db"), file(name))
    expect(await rowsOf(file(name))).toBe("5 database is locked: it is open under another name, or locked exclusively")
    database.close()
    expect(await rowsOf(file(name))).toBe("0 rows")
  })

  it("is available after the transaction ends, even if its folder was moved", async () => {
    const { file, database } = inTransaction()
    renameSync(file("here"), file("elsewhere"))
    expect(await rowsOf(file("elsewhere/one.db"))).toBe("5 database is locked")
    database.exec("ROLLBACK")
    expect(await rowsOf(file("elsewhere/one.db"))).toBe("0 rows")
    database.close()
  })
})

it("a connection reads its file again once enough file descriptors are available", async () => {
  const path = temporaryFolder()("few.db")
  create(path)
  const idle = runProgram("idle.ts", [path])
  await idle.started
  const limited = ["sh", "-c", 'ulimit -n 200; exec "$@"', "sh"]
  expect(await runProgram("short-of-descriptors.ts", [path], limited).lines).toEqual(["refused", "0 rows"])
  idle.kill()
  await idle.lines
})
