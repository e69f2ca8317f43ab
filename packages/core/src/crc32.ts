/** CRC-32 (ISO-HDLC, as in zip and PNG). It detects typing errors and does not protect secrets. */
import { base62 } from "./base62.js"

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

export const crc32 = (ascii: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < ascii.length; index += 1) {
    crc = (crc >>> 8) ^ (table[(crc ^ ascii.charCodeAt(index)) & 0xff] ?? 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

/** The number of letters and digits that every CRC-32 fits into. */
export const checksumLength = 6

export const checksumOf = (ascii: string): string => base62(crc32(ascii), checksumLength)
