/**
 * Prints the writes, fsyncs and removals of one commit, each with its target, such as file or journal. The calls run unchanged.
 *
 * Arguments: file, journal mode.
 */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const [path = "", journal = ""] = process.argv.slice(2)
const named = (name: unknown): string => /-(journal|wal|shm|lock)/.exec(String(name))?.[1] ?? (name === path ? "file" : "folder")
const open = new Map<unknown, string>()
let calls: string[] = []

const listen = (
  method: "openSync" | "writeSync" | "fsyncSync" | "unlinkSync",
  note: (first: unknown, result: unknown) => void,
) => {
  const original: (...parameters: never[]) => unknown = fs[method]
  const listening = (...parameters: never[]) => {
    const result = original(...parameters)
    note(parameters[0], result)
    return result
  }
  Object.assign(fs, { [method]: listening })
}
listen("openSync", (name, descriptor) => open.set(descriptor, named(name)))
listen("writeSync", (descriptor) => calls.push(`write ${open.get(descriptor)}`))
listen("fsyncSync", (descriptor) => calls.push(`sync ${open.get(descriptor)}`))
listen("unlinkSync", (name) => calls.push(`remove ${named(name)}`))
syncBuiltinESMExports()

const { DatabaseSync } = await import("../../dist/index.js")
const database = new DatabaseSync(path)
database.exec(`PRAGMA journal_mode = ${journal}; PRAGMA synchronous = FULL; CREATE TABLE t (a); INSERT INTO t VALUES (1)`)
calls = []
database.exec("UPDATE t SET a = 2")
// Consecutive writes to the same target count as one step.
const steps = calls.filter((call, index) => call !== calls[index - 1])
fs.writeSync(1, `${steps.join("\n")}\n`)
database.close()
