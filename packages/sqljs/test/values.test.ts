/** The package writes and reads 64-bit integers exactly, as INTEGER. */
import { describe, expect, it } from "vitest"
import { DatabaseSync } from "../src/index.js"
import { errorOf } from "./outcome.js"

const database = new DatabaseSync(":memory:")
database.exec("CREATE TABLE numbers (value INTEGER) STRICT")
const outOfRange = (value: bigint) => ({
  name: "RangeError",
  code: "ERR_OUT_OF_RANGE",
  message: `Value is too large to be represented as a JavaScript number: ${value}`,
})

describe.each([0n, -1n, 2n ** 31n, 2n ** 32n - 1n, -(2n ** 53n) + 1n, 2n ** 53n - 1n])("the integer %d", (value) => {
  it("is read as the same number", () => {
    expect(database.prepare("SELECT ? AS value, typeof(?1) AS type").get(value)).toEqual({
      value: Number(value),
      type: "integer",
    })
  })
})

describe.each([2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)])("the integer %d", (value) => {
  it("is stored and compared as an INTEGER", () => {
    const kept = database.prepare("INSERT INTO numbers VALUES (?) RETURNING value, typeof(value) AS type, value = ?1 AS same", {
      readBigInts: true,
    })
    expect(kept.get(value)).toEqual({ value, type: "integer", same: 1n })
  })

  it("cannot be read as a number, from a column or as a function argument", () => {
    expect(errorOf(() => database.prepare("SELECT ? AS value").get(value))).toMatchObject(outOfRange(value))
    database.function("identity", (argument) => argument)
    expect(errorOf(() => database.prepare("SELECT identity(?)").get(value))).toMatchObject(outOfRange(value))
    database.function("identity", { useBigIntArguments: true }, (argument) => argument)
    expect(database.prepare("SELECT identity(?) AS value", { readBigInts: true }).get(value)).toEqual({ value })
  })
})

it("a parameter refuses an integer of more than 64 bits", () => {
  expect(errorOf(() => database.prepare("SELECT ?").get(2n ** 63n))).toMatchObject({ code: "ERR_INVALID_ARG_VALUE" })
})

it("run() returns a row id above 2^53 as an exact BigInt, and throws instead of rounding it to a number", () => {
  database.exec("CREATE TABLE ids (id INTEGER PRIMARY KEY)")
  const insert = database.prepare("INSERT INTO ids VALUES (?)")
  expect(errorOf(() => insert.run(2n ** 53n + 1n))).toMatchObject(outOfRange(2n ** 53n + 1n))
  insert.setReadBigInts(true)
  expect(insert.run(2n ** 53n + 3n)).toEqual({ changes: 1n, lastInsertRowid: 2n ** 53n + 3n })
})
