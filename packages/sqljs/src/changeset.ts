/**
 * The binary format of changesets and patchsets. An encoded value is a string of bytes (latin1), so that two values are the
 * same if and only if their strings are equal.
 *
 * @see https://sqlite.org/session.html and "Changeset format" in sqlite3session.c
 */
import { constants } from "./constants.js"
import { SQLITE_CORRUPT, sqliteErrorOfCode } from "./errors.js"
import type { SQLOutputValue } from "./values.js"

const { SQLITE_DELETE, SQLITE_INSERT, SQLITE_UPDATE } = constants

/** An unchanged column of an UPDATE; in a patchset, also an absent column. */
export const unchanged = "\0"

/** A table in a changeset. `keys` has each column's position in the primary key, starting at 1, or 0 for other columns. */
export interface ChangedTable {
  readonly name: string
  readonly keys: readonly number[]
}

/** One change. INSERT has `after`, DELETE has `before`, UPDATE has both; a missing row is empty. Values are encoded. */
export interface Change {
  readonly operation: number
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export const keyOf = (row: readonly string[], keys: readonly number[]): string =>
  row.filter((_, column) => keys[column] !== 0).join("")

const bytesOf = (fill: (view: DataView) => void): string => {
  const bytes = Buffer.alloc(8)
  fill(new DataView(bytes.buffer, bytes.byteOffset, 8))
  return bytes.toString("latin1")
}

const varint = (length: number): string => {
  let encoded = String.fromCharCode(length & 0x7f)
  for (let rest = Math.floor(length / 128); rest > 0; rest = Math.floor(rest / 128)) {
    encoded = String.fromCharCode((rest & 0x7f) | 0x80) + encoded
  }
  return encoded
}

export const encodeValue = (value: SQLOutputValue): string => {
  if (value === null) return "\x05"
  if (typeof value === "bigint") return `\x01${bytesOf((view) => view.setBigInt64(0, value))}`
  if (typeof value === "number") return `\x02${bytesOf((view) => view.setFloat64(0, value))}`
  const bytes = typeof value === "string" ? Buffer.from(value) : Buffer.from(value)
  return `${typeof value === "string" ? "\x03" : "\x04"}${varint(bytes.length)}${bytes.toString("latin1")}`
}

export const encodeTable = ({ name, keys }: ChangedTable, isPatchset: boolean): string =>
  `${isPatchset ? "P" : "T"}${varint(keys.length)}${String.fromCharCode(...keys)}${Buffer.from(name).toString("latin1")}\0`

/** A patchset has only the old row's key. */
export const encodeChange = ({ operation, before, after }: Change, keys: readonly number[], isPatchset: boolean): string => {
  const head = `${String.fromCharCode(operation)}\0`
  if (isPatchset && operation === SQLITE_DELETE) return head + keyOf(before, keys)
  if (isPatchset && operation === SQLITE_UPDATE) {
    return head + after.map((value, column) => (keys[column] === 0 ? value : before[column])).join("")
  }
  return head + before.join("") + after.join("")
}

const corrupt = () => sqliteErrorOfCode(SQLITE_CORRUPT)

/** Parses the bytes of a changeset or patchset. Throws SQLITE_CORRUPT if they are malformed. */
class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes)
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  byte(): number {
    const byte = this.#bytes[this.#at++]
    if (byte === undefined) throw corrupt()
    return byte
  }

  varint(): number {
    let value = 0
    for (let length = 0; length < 9; length++) {
      const byte = this.byte()
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
    throw corrupt()
  }

  take(length: number): string {
    if (length > this.#bytes.length - this.#at) throw corrupt()
    this.#at += length
    return this.#bytes.toString("latin1", this.#at - length, this.#at)
  }

  text(): string {
    const end = this.#bytes.indexOf(0, this.#at)
    if (end < 0) throw corrupt()
    const text = this.#bytes.toString("utf8", this.#at, end)
    this.#at = end + 1
    return text
  }

  value(): string {
    const start = this.#at
    const type = this.byte()
    if (type === 1 || type === 2) this.take(8)
    else if (type === 3 || type === 4) this.take(this.varint())
    else if (type !== 0 && type !== 5) throw corrupt()
    return this.#bytes.toString("latin1", start, this.#at)
  }
}

export const decodeValue = (encoded: string): SQLOutputValue => {
  const bytes = Buffer.from(encoded, "latin1")
  if (bytes[0] === 1) return bytes.readBigInt64BE(1)
  if (bytes[0] === 2) return bytes.readDoubleBE(1)
  if (bytes[0] !== 3 && bytes[0] !== 4) return null
  let start = 1
  while ((bytes[start] ?? 0) >= 0x80) start++
  const content = bytes.subarray(start + 1)
  return bytes[0] === 3 ? content.toString() : new Uint8Array(content)
}

export const decodeChangeset = (bytes: Uint8Array): { table: ChangedTable; changes: Change[] }[] => {
  const reader = new Reader(bytes)
  const tables: { table: ChangedTable; changes: Change[] }[] = []
  let isPatchset = false
  while (!reader.isAtEnd) {
    const kind = reader.byte()
    if (kind === 0x54 || kind === 0x50) {
      isPatchset = kind === 0x50
      const count = reader.varint()
      if (count === 0 || count > 65_536) throw corrupt()
      const keys = [...reader.take(count)].map((letter) => letter.charCodeAt(0))
      tables.push({ table: { name: reader.text(), keys }, changes: [] })
      continue
    }
    const current = tables.at(-1)
    if (current === undefined || ![SQLITE_DELETE, SQLITE_INSERT, SQLITE_UPDATE].includes(kind)) throw corrupt()
    reader.byte()
    const { keys } = current.table
    const row = () => keys.map(() => reader.value())
    const keyOnly = () => keys.map((key) => (key === 0 ? unchanged : reader.value()))
    if (isPatchset && kind === SQLITE_UPDATE) {
      // One row, with the key and the new values of the other columns.
      const both = row()
      const only = (isKey: boolean) => both.map((value, column) => ((keys[column] !== 0) === isKey ? value : unchanged))
      current.changes.push({ operation: kind, before: only(true), after: only(false) })
      continue
    }
    const before = kind === SQLITE_INSERT ? [] : isPatchset ? keyOnly() : row()
    current.changes.push({ operation: kind, before, after: kind === SQLITE_DELETE ? [] : row() })
  }
  return tables
}
