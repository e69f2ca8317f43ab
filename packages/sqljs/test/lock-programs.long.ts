/** Tests what runs without `node:ffi`: the programs `sh`, `flock` and `mkfifo`. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { expect, it, vi } from "vitest"
import { DatabaseSync } from "../src/index.js"
import { errorOf } from "./outcome.js"
import { runProgram, withPrograms } from "./programs/run-program.js"
import { create } from "./rows-table.js"
import { temporaryFolder } from "./temporary-folder.js"

/** A database, and a wrapper under which these shell scripts are found in place of the programs with their names. */
const withScripts = (scripts: Readonly<Record<string, string>>) => {
  const file = temporaryFolder()
  create(file("one.db"))
  mkdirSync(file("programs"))
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(file(`programs/${name}`), `#!/bin/sh\ncd ${file("")}\n${script}\n`, { mode: 0o755 })
  }
  const wrapper = ["sh", "-c", `PATH=${file("programs")}:$PATH; exec "$@"`, "sh", ...withPrograms]
  return { file, wrapper }
}

it.each([
  ["one file", [], { sh: 3, flock: 6, mkfifo: 3 }],
  ["one file while another one is open", ["two.db"], { sh: 4, flock: 8, mkfifo: 1 }],
] as const)("opening %s takes one shell", async (_, others, expected) => {
  const counting = ["sh", "flock", "mkfifo"].map((name) => [name, `echo ${name} >> log; exec /usr/bin/${name} "$@"`])
  const { file, wrapper } = withScripts(Object.fromEntries(counting))
  for (const other of others) create(file(other))
  const visitor = runProgram("visitor.ts", [file("one.db"), "3", ...others.map((other) => file(other))], wrapper)
  await visitor.started
  const counts = Object.groupBy(readFileSync(file("log"), "utf8").trim().split("\n"), (name) => name)
  expect(Object.fromEntries(Object.entries(counts).map(([name, lines]) => [name, lines?.length]))).toEqual(expected)
  visitor.kill()
  await visitor.lines
})

/** A process that has locked the file and made its FIFO, and stands before it opens the FIFO. */
const joining = async () => {
  const { file, wrapper } = withScripts({
    mkfifo: `/usr/bin/mkfifo "$@"; [ -e made ] || { : > made; read line < go; }; echo >> made`,
    flock: `/usr/bin/flock "$@" && : > "locked$1"`,
  })
  execFileSync("mkfifo", [file("go")])
  const opener = runProgram("reader.ts", [file("one.db"), "false"], wrapper)
  const steps = ["made", "locked-xn", "locked-sn"]
  await vi.waitUntil(() => steps.every((step) => existsSync(file(step))), { timeout: 30_000 })
  const second = new DatabaseSync(file("one.db"))
  const start = performance.now()
  expect(errorOf(() => second.exec("DELETE FROM rows"))).toMatchObject({
    errcode: 5,
    message: "database is locked: it is open under another name, or locked exclusively",
  })
  // It has waited for the process to join.
  expect(performance.now() - start).toBeGreaterThan(100)
  second.close()
  const left = () => readdirSync(file("")).filter((name) => !["go", "programs", ...steps].includes(name))
  return { opener, file, goOn: () => writeFileSync(file("go"), "\n"), left }
}

it("a process that is opening a file excludes others until it has joined the table", async () => {
  const { opener, file, goOn, left } = await joining()
  const waiting = runProgram("visitor.ts", [file("one.db"), "1"])
  goOn()
  expect(await opener.lines).toEqual(["0 rows"])
  // The other process did not remove the FIFO, which nothing had opened, as that of a dead owner.
  expect(readFileSync(file("made"), "utf8")).toBe("\n")
  await waiting.started
  waiting.kill()
  await waiting.lines
  expect(left()).toEqual(["one.db"])
})

it("a process that is killed while it opens a file leaves neither a lock nor files", async () => {
  const { opener, file, goOn, left } = await joining()
  opener.kill()
  goOn()
  await expect(opener.started).rejects.toThrow("exited")
  const database = new DatabaseSync(file("one.db"), { timeout: 20_000 })
  database.exec("DELETE FROM rows")
  database.close()
  expect(left()).toEqual(["one.db"])
})

it("a process whose FIFO is removed before it opens it makes another one, and joins the table", async () => {
  const { file, wrapper } = withScripts({
    mkfifo: `/usr/bin/mkfifo "$@" && { [ -e removed ] || { : > removed; rm "$@"; }; }`,
    flock: `echo "$1" >> log; exec /usr/bin/flock "$@"`,
  })
  expect(await runProgram("reader.ts", [file("one.db"), "false"], wrapper).lines).toEqual(["0 rows"])
  // It never took the lock that needs no table, and is `flock -x`.
  expect(readFileSync(file("log"), "utf8")).toBe("-xn\n-sn\n-xn\n-sn\n")
  expect(readdirSync(file("")).toSorted()).toEqual(["log", "one.db", "programs", "removed"])
})

it("a connection refuses a file that the flock program fails to lock, and states the reason", async () => {
  const { file, wrapper } = withScripts({ flock: "echo 'flock: 3: No locks available' >&2; exit 71" })
  expect(await runProgram("reader.ts", [file("one.db"), "false"], wrapper).lines).toEqual([
    "3 access permission denied: the file itself cannot be locked (flock: 3: No locks available)",
  ])
  expect(readdirSync(file("")).toSorted()).toEqual(["one.db", "programs"])
})

it("a connection states why the mkfifo program failed if the file is open anywhere else", async () => {
  const { file, wrapper } = withScripts({ mkfifo: "echo 'mkfifo: No space left on device' >&2; exit 1" })
  const holder = new DatabaseSync(file("one.db"))
  holder.exec("DELETE FROM rows")
  expect(await runProgram("reader.ts", [file("one.db"), "false"], wrapper).lines).toEqual([
    "5 database is locked: no lock can be kept next to it (mkfifo: No space left on device), so it must not be open anywhere else",
  ])
  holder.close()
  expect(await runProgram("reader.ts", [file("one.db"), "false"], wrapper).lines).toEqual(["0 rows"])
  expect(readdirSync(file("")).toSorted()).toEqual(["one.db", "programs"])
})
