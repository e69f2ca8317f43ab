/** A statement that exhausts the memory fails alone. These tests need 2 GiB of memory, so `npm test` skips them. */
import { describe, expect, it } from "vitest"
import { engine } from "../src/engine.js"
import { DatabaseSync } from "../src/index.js"
import { temporaryFolder } from "./temporary-folder.js"

const outOfMemory = { code: "ERR_SQLITE_ERROR", errcode: 7, message: "out of memory" }

describe("a statement that needs more memory than is available", () => {
  it.each([
    ["a parameter", "SELECT ?", new Uint8Array(2 ** 31)],
    ["an expression", "SELECT hex(zeroblob(450000000)), hex(zeroblob(450000000)), ?", null],
    ["a function's result", "SELECT huge() || ?", null],
  ] as const)("fails without affecting later statements: %s", (_, sql, value) => {
    const [one, other] = [new DatabaseSync(":memory:"), new DatabaseSync(":memory:")]
    for (const database of [one, other]) database.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    one.function("huge", () => new Uint8Array(2 ** 31))
    expect(() => one.prepare(sql).get(value)).toThrow(expect.objectContaining(outOfMemory))
    for (const database of [one, other]) {
      database.exec("INSERT INTO t VALUES (2)")
      expect(database.prepare("SELECT count(*) AS rows FROM t").get()).toEqual({ rows: 2 })
      database.close()
    }
  })
})

it("a statement accepts text with 400 million characters", () => {
  const database = new DatabaseSync(":memory:")
  expect(database.prepare("SELECT length(?) AS length").get("x".repeat(400_000_000))).toEqual({ length: 400_000_000 })
  database.close()
})

it.each(["delete", "wal"])("close() frees a connection's memory with journal_mode %s", (journal) => {
  const path = temporaryFolder()("opened.db")
  /** The address that SQLite's allocator returns next. It rises if memory leaks. */
  const highest = () => {
    const { call } = engine()
    const pointer = call.malloc(64)
    call.free(pointer)
    return pointer
  }
  const open = () => {
    const database = new DatabaseSync(path)
    database.exec(`PRAGMA journal_mode = ${journal}; CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (1)`)
    database.close()
  }
  for (let count = 0; count < 5; count++) open()
  const [before, size] = [highest(), engine().memory.bytes.length]
  for (let count = 0; count < 60; count++) open()
  expect(highest()).toBe(before)
  expect(engine().memory.bytes.length).toBe(size)
})
