import type { Engine } from "./engine.js"
import { outOfRange } from "./errors.js"
import { value as cell, valueFlag } from "./structures.js"

/** Values that can be bound to a parameter. */
export type SQLInputValue = null | number | bigint | string | NodeJS.ArrayBufferView
/** Values in result rows, as `node:sqlite` reads them. */
export type SQLOutputValue = null | number | bigint | string | NodeJS.NonSharedUint8Array

const tooLarge = (integer: bigint) => outOfRange(`Value is too large to be represented as a JavaScript number: ${integer}`)

/** Throws ERR_OUT_OF_RANGE for an integer that a number cannot represent exactly. */
export const toNumber = (integer: bigint): number => {
  const number = Number(integer)
  if (!Number.isSafeInteger(number)) throw tooLarge(integer)
  return number
}

const readInteger = (engine: Engine, pointer: number, asBigInt: boolean): number | bigint => {
  const { memory } = engine
  if (asBigInt) return memory.long(pointer)
  // Exact while the high half is below 2^21. Only larger values need the slower BigInt.
  const high = memory.int(pointer + 4)
  if (high >= -0x200000 && high < 0x200000) {
    const number = high * 0x1_0000_0000 + (memory.int(pointer) >>> 0)
    if (Number.isSafeInteger(number)) return number
  }
  throw tooLarge(memory.long(pointer))
}

const readText = (engine: Engine, pointer: number): string => {
  const { memory, call } = engine
  if (memory.byte(pointer + cell.encoding) === 1) {
    return memory.utf8(memory.int(pointer + cell.text), memory.int(pointer + cell.length))
  }
  // SQLite converts other encodings to UTF-8 (1), and non-text values to text. The length must be read afterwards.
  const text = call.sqlite3_value_text(pointer)
  return memory.utf8(text, call.sqlite3_value_bytes(pointer))
}

const readBlob = (engine: Engine, pointer: number): Uint8Array<ArrayBuffer> => {
  const data = engine.call.sqlite3_value_blob(pointer)
  const length = engine.call.sqlite3_value_bytes(pointer)
  const copy = new Uint8Array(length)
  copy.set(engine.memory.bytes.subarray(data, data + length))
  return copy
}

/** Reads a `sqlite3_value`. An INTEGER becomes a BigInt or a number; throws ERR_OUT_OF_RANGE if the number would not be exact. */
export const readValue = (engine: Engine, pointer: number, asBigInt: boolean): SQLOutputValue => {
  const flags = engine.memory.ints[(pointer + cell.flags) >> 2] ?? 0
  if (flags & valueFlag.null) return null
  if (flags & valueFlag.integer) return readInteger(engine, pointer, asBigInt)
  if (flags & valueFlag.real) return engine.memory.double(pointer)
  if (flags & valueFlag.integerAsReal) return Number(engine.memory.long(pointer))
  if (flags & valueFlag.text) return readText(engine, pointer)
  return readBlob(engine, pointer)
}
