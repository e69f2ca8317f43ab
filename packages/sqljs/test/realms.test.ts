/** The package recognises values and errors from another realm, such as a `vm` context or a test runner that uses one. */
import { pathToFileURL } from "node:url"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"
import { DatabaseSync } from "../src/index.js"
import { runProgram } from "./programs/run-program.js"
import { create } from "./rows-table.js"
import { temporaryFolder } from "./temporary-folder.js"

const foreign = <A>(source: string): A => runInNewContext(source)

it("parameters and functions accept an ArrayBuffer from another realm, and functions refuse a Promise from there", () => {
  const database = new DatabaseSync(":memory:")
  const buffer = foreign<ArrayBuffer>("Uint8Array.of(1, 2).buffer")
  // The Node.js 24 types allow only views here.
  expect(database.prepare("SELECT hex(?) AS hex").get(buffer as unknown as Uint8Array)).toEqual({ hex: "0102" })
  database.function("bytes", () => buffer as unknown as Uint8Array)
  expect(database.prepare("SELECT hex(bytes()) AS hex").get()).toEqual({ hex: "0102" })
  database.function("later", () => foreign<null>("Promise.resolve(1)"))
  expect(() => database.prepare("SELECT later()").get()).toThrow("Asynchronous user-defined functions are not supported")
  database.close()
})

it("the package accepts bytes from another realm as a path, a database and a changeset", () => {
  const there = (bytes: Uint8Array) => foreign<(from: Uint8Array) => Uint8Array>("(from) => Uint8Array.from(from)")(bytes)
  const path = temporaryFolder()("realm.db")
  const database = new DatabaseSync(there(Buffer.from(path)) as Buffer)
  database.exec("CREATE TABLE t (a PRIMARY KEY)")
  const session = database.createSession()
  database.exec("INSERT INTO t VALUES (1)")
  const copy = new DatabaseSync(":memory:")
  copy.deserialize(there(database.serialize()))
  expect(copy.prepare("SELECT * FROM t").all()).toEqual([{ a: 1 }])
  copy.exec("DELETE FROM t")
  expect(copy.applyChangeset(there(session.changeset()))).toBe(true)
  database.close()
  copy.close()
})

it("the package takes over the lock of a dead owner even if the package runs in a vm context", async () => {
  const path = temporaryFolder()("context.db")
  create(path)
  const holder = runProgram("holder.ts", [path, "60000"])
  await holder.started
  holder.kill()
  await holder.lines
  expect(await runProgram("in-context.ts", [pathToFileURL(path).href]).lines).toEqual(["0 rows"])
})

it("the package refuses a path whose bytes are not valid UTF-8, even if they are URL-escaped", () => {
  const folder = Buffer.from(temporaryFolder()(""))
  const named = (byte: number) => Buffer.concat([folder, Buffer.of(byte)])
  expect(() => new DatabaseSync(named(0xff))).toThrow(expect.objectContaining({ code: "ERR_INVALID_ARG_VALUE" }))
  expect(() => new DatabaseSync(`file:${folder}%FF.db`).exec("CREATE TABLE t (a)")).toThrow(
    expect.objectContaining({ errcode: 14 }),
  )
  new DatabaseSync(Buffer.concat([folder, Buffer.from("ü\ufffd")])).close()
})
