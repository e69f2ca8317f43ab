/**
 * Tests locks between processes in separate namespaces, in folders that are mounted twice, with other users and on other file
 * systems. These tests need root on Linux, and `unshare`, `mount`, `setpriv` and `bindfs`.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync as NativeDatabase } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { DatabaseSync, isInUse } from "../src/index.js"
import { runProgram, withPrograms } from "./programs/run-program.js"
import { create } from "./rows-table.js"
import { temporaryFolder } from "./temporary-folder.js"

/** Returns the batches that native SQLite finds in a file. Fails if the file is damaged or a batch is incomplete. */
const batchesOf = (path: string) => {
  const database = new NativeDatabase(path)
  expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" })
  expect(database.prepare("SELECT batch FROM rows GROUP BY writer, batch HAVING count(*) <> 150").all()).toEqual([])
  const kept = database.prepare("SELECT DISTINCT writer || batch AS batch FROM rows").all()
  database.close()
  return kept.map(({ batch }) => String(batch))
}

/** A command with `unshare` and a shell that first runs `prepare` in the namespaces. */
const within = (flags: readonly string[], prepare: string) => ["unshare", ...flags, "sh", "-c", `${prepare}; exec "$@"`, "sh"]

const namespaces: Readonly<Record<string, readonly string[]>> = {
  "with separate processes, users, mounts and host names": within(
    ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount", "--uts"],
    "mount -t proc proc /proc",
  ),
  "without /proc": within(["--mount"], "umount -l /proc"),
  "with a /proc that has only process ids": within(
    ["--pid", "--fork", "--kill-child", "--mount"],
    "mount -t proc -o subset=pid proc /proc",
  ),
  "with a /proc that hides other processes": within(
    ["--mount"],
    "umount -l /proc; mount -t proc -o hidepid=invisible proc /proc",
  ),
}

describe.each(Object.entries(namespaces))("processes in namespaces %s", (_, command) => {
  it.each(["delete", "wal"])("keep every acknowledged batch with journal_mode %s", async (journal) => {
    const path = temporaryFolder()("two.db")
    create(path)
    const writers = ["a", "b"].map((name) => runProgram("writer.ts", [path, journal, name, "2000"], command))
    const [a, b] = await Promise.all(writers.map(({ lines }) => lines))
    const acknowledged = [...(a ?? []).map((batch) => `a${batch}`), ...(b ?? []).map((batch) => `b${batch}`)]
    expect(acknowledged.length).toBeGreaterThan(1)
    expect(batchesOf(path).toSorted()).toEqual(acknowledged.toSorted())
  })

  it("lose no acknowledged batch and leave no lock if they are killed while they write", async () => {
    const path = temporaryFolder()("killed.db")
    create(path)
    for (let round = 0; round < 4; round++) {
      const writer = runProgram("writer.ts", [path, "delete", "a", "0"], command)
      await writer.started
      await setTimeout(5 + Math.random() * 40)
      writer.kill()
      const acknowledged = (await writer.lines).map((batch) => `a${batch}`)
      const database = new DatabaseSync(path, { timeout: 5000 })
      database.exec("PRAGMA user_version = 1")
      database.close()
      expect(readdirSync(dirname(path))).toEqual(["killed.db"])
      expect(batchesOf(path)).toEqual(expect.arrayContaining(acknowledged))
    }
  })
})

it("processes on two mounts of one folder keep every batch, and a killed one leaves no lock", async () => {
  const file = temporaryFolder()
  for (const name of ["here", "there"]) mkdirSync(file(name))
  create(file("here/two.db"))
  const elsewhere = within(["--mount"], `mount --bind ${file("here")} ${file("there")}`)
  const writers = [
    runProgram("writer.ts", [file("here/two.db"), "delete", "a", "2000"]),
    runProgram("writer.ts", [file("there/two.db"), "delete", "b", "2000"], elsewhere),
  ]
  const batches = (await Promise.all(writers.map(({ lines }) => lines))).flat()
  expect(batchesOf(file("here/two.db"))).toHaveLength(batches.length)
  const killed = runProgram("holder.ts", [file("there/two.db"), "60000"], elsewhere)
  await killed.started
  killed.kill()
  await killed.lines
  const database = new DatabaseSync(file("here/two.db"))
  database.exec("DELETE FROM rows")
  database.close()
})

it("a file that is mounted apart from its folder has one owner at a time", async () => {
  const file = temporaryFolder()
  for (const name of ["here", "there"]) mkdirSync(file(name))
  create(file("here/two.db"))
  writeFileSync(file("there/two.db"), "")
  const elsewhere = within(["--mount"], `mount --bind ${file("here/two.db")} ${file("there/two.db")}`)
  const holder = runProgram("holder.ts", [file("here/two.db"), "60000"])
  await holder.started
  const refused = runProgram("reader.ts", [file("there/two.db"), "false"], elsewhere)
  expect(await refused.lines).toEqual([
    "5 database is locked: the file is mounted apart from its folder, so it must not be open anywhere else",
  ])
  holder.kill()
  await holder.lines
  expect(await runProgram("reader.ts", [file("there/two.db"), "false"], elsewhere).lines).toEqual(["0 rows"])
})

describe("a non-root user", () => {
  const asGuest = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
  /** Creates a database that root owns and every user can read. */
  const readable = () => {
    const file = temporaryFolder()
    const path = file("root.db")
    create(path)
    chmodSync(dirname(path), 0o755)
    return path
  }

  it.each(["true", "false"])("reads a file that no other process has open (readOnly: %s)", async (readOnly) => {
    const path = readable()
    expect(await runProgram("reader.ts", [path, readOnly], asGuest).lines).toEqual(["0 rows"])
    expect(readdirSync(dirname(path))).toEqual(["root.db"])
  })

  it("gets an error that states the reason while root has the file open, and does not affect root's connection", async () => {
    const path = readable()
    const database = new DatabaseSync(path)
    database.exec("INSERT INTO rows (writer) VALUES ('root')")
    const [refusal] = await runProgram("reader.ts", [path, "true"], asGuest).lines
    expect(refusal).toMatch(
      /^5 database is locked: no lock can be kept next to it \(EACCES: permission denied, .*\), so it must not be open anywhere else$/,
    )
    database.exec("INSERT INTO rows (writer) VALUES ('root')")
    database.close()
    expect(await runProgram("reader.ts", [path, "true"], asGuest).lines).toEqual(["2 rows"])
  })

  it.each(["733", "777"])("reads and writes a file if the folder has mode %s", async (mode) => {
    const path = readable()
    chmodSync(path, 0o666)
    chmodSync(dirname(path), mode)
    const writer = runProgram("writer.ts", [path, "delete", "a", "300"], asGuest)
    const batches = (await writer.lines).length
    expect(batches).toBeGreaterThan(0)
    expect(batchesOf(path)).toHaveLength(batches)
    expect(readdirSync(dirname(path))).toEqual(["root.db"])
    expect(isInUse(path)).toBe(false)
  })

  it("releases its lock after a read even if the folder has become read-only", async () => {
    const path = readable()
    for (const name of [path, dirname(path)]) chownSync(name, 65534, 65534)
    const idle = runProgram("closed-folder.ts", [path], asGuest)
    await idle.started
    expect(await runProgram("reader.ts", [path, "false"], asGuest).lines).toEqual(["0 rows"])
    idle.kill()
    await idle.lines
  })

  it("gets an error that states the reason if the folder is read-only and flock is not installed", async () => {
    const path = readable()
    const programs = temporaryFolder()("programs")
    mkdirSync(programs)
    chmodSync(dirname(programs), 0o755)
    for (const name of ["sh", "mkfifo"]) symlinkSync(`/usr/bin/${name}`, join(programs, name))
    const [refusal] = await runProgram("reader.ts", [path, "true"], [...asGuest, ...withPrograms, `PATH=${programs}`]).lines
    expect(refusal).toMatch(
      /^3 access permission denied: no lock can be kept next to it \(EACCES: .*\), and the file itself cannot be locked \(flock is not installed\)$/,
    )
  })
})

it("a connection works without flock, but refuses a file with two names", async () => {
  const file = temporaryFolder()
  create(file("one.db"))
  mkdirSync(file("programs"))
  for (const name of ["sh", "mkfifo"]) symlinkSync(`/usr/bin/${name}`, file(`programs/${name}`))
  const without = [...withPrograms, `PATH=${file("programs")}`]
  const writers = ["a", "b"].map((name) => runProgram("writer.ts", [file("one.db"), "delete", name, "1000"], without))
  const batches = (await Promise.all(writers.map(({ lines }) => lines))).flat()
  expect(batchesOf(file("one.db"))).toHaveLength(batches.length)
  linkSync(file("one.db"), file("two.db"))
  expect(await runProgram("reader.ts", [file("two.db"), "false"], without).lines).toEqual([
    "3 access permission denied: the file has more than one link, and the file itself cannot be locked (flock is not installed)",
  ])
})

it("a connection refuses a file that flock(2) fails to lock, and states the reason", async () => {
  const path = temporaryFolder()("one.db")
  create(path)
  const failing = ["strace", "-f", "-o", "/dev/null", "-e", "inject=flock:error=ENOLCK"]
  expect(await runProgram("reader.ts", [path, "false"], failing).lines).toEqual([
    "3 access permission denied: the file itself cannot be locked (flock: Unknown system error -37)",
  ])
  expect(readdirSync(dirname(path))).toEqual(["one.db"])
})

describe("a database on a separate file system", () => {
  const mounted = (...mount: readonly string[]) => {
    const folder = temporaryFolder()("mounted")
    mkdirSync(folder)
    execFileSync("mount", [...mount, folder])
    onTestFinished(() => {
      execFileSync("umount", [folder])
    })
    return (name: string) => join(folder, name)
  }

  it.each(["size=1m", "size=1m,nr_inodes=8"])("can be read while no space is left, and leaves no lock files (%s)", (limit) => {
    const file = mounted("-t", "tmpfs", "-o", limit, "tmpfs")
    create(file("full.db"))
    spawnSync("sh", ["-c", `dd if=/dev/zero of=${file("filling")}; for i in 1 2 3 4 5 6 7 8 9; do : > ${file("$i")}; done`])
    const before = readdirSync(dirname(file("")))
    for (let round = 0; round < 3; round++) {
      const database = new DatabaseSync(file("full.db"))
      expect(database.prepare("SELECT * FROM rows").all()).toEqual([])
      database.close()
    }
    expect(readdirSync(dirname(file("")))).toEqual(before)
  })

  it("can be read if the file system is mounted read-only", () => {
    const file = mounted("-t", "tmpfs", "tmpfs")
    create(file("read.db"))
    execFileSync("mount", ["-o", "remount,ro", dirname(file("read.db"))])
    const database = new DatabaseSync(file("read.db"), { readOnly: true })
    expect(database.prepare("SELECT * FROM rows").all()).toEqual([])
    database.close()
  })

  // A container may have bindfs without /dev/fuse.
  it.skipIf(!existsSync("/dev/fuse"))("can be written only with nolock=1 if other machines may share it", () => {
    const file = temporaryFolder()
    for (const name of ["here", "there"]) mkdirSync(file(name))
    create(file("here/shared.db"))
    execFileSync("bindfs", [file("here"), file("there")])
    onTestFinished(() => {
      execFileSync("umount", [file("there")])
    })
    const database = new DatabaseSync(file("there/shared.db"))
    expect(database.prepare("SELECT * FROM rows").all()).toEqual([])
    expect(() => database.exec("INSERT INTO rows (writer) VALUES (1)")).toThrow(
      expect.objectContaining({
        errcode: 3,
        message: `access permission denied: its file system (FUSE) may be shared with other machines, and a local lock does not exclude them. If nothing else uses the file, open it as file:${file("there/shared.db")}?nolock=1`,
      }),
    )
    database.close()
    const alone = new DatabaseSync(`file:${file("there/shared.db")}?nolock=1`)
    alone.exec("INSERT INTO rows (writer) VALUES (1)")
    alone.close()
  })
})
