import { describe, expect, it } from "vitest"
import { crc32 } from "../src/crc32.js"

describe("crc32", () => {
  it.each([
    // The check value of CRC-32/ISO-HDLC, and other values that zlib returns.
    ["123456789", 0xcbf43926],
    ["", 0],
    ["a", 0xe8b7be43],
    ["abc", 0x352441c2],
    ["The quick brown fox jumps over the lazy dog", 0x414fa339],
    ["pst_live_00000000000000000000000000000000", 0x484489e9],
  ])("of %j is the value that zip and PNG use", (text, value) => {
    expect(crc32(text)).toBe(value)
  })
})
