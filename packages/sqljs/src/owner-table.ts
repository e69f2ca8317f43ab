/**
 * `FILE-lock`: a small file with a record for each owner that has the database file open. A transaction sets its owner's mark,
 * and then reads the other owners' marks. If two transactions start at the same time, at least one therefore sees the other
 * transaction's mark. This takes three system calls on an open descriptor, which need neither the file's name nor write access
 * to its folder. A mark counts while a process holds open the FIFO that the record names. Records are added and removed under
 * the guard of `file-lock.ts`; owners set their marks at any time.
 */
import * as fs from "node:fs"
import { codeOf } from "./system-errors.js"

const magic = Buffer.from("petstore sqljs owners 1\n\0\0\0\0\0\0\0\0")
const recordSize = magic.length
/** The offsets of a record's fields: the mark, the database file's inode, and the owner's name. */
const at = { mark: 0, inode: 8, owner: 16 } as const

const marked = Buffer.of(1)
const unmarked = Buffer.of(0)

/** Does not pass O_CREAT if the file exists: Linux refuses O_CREAT for another user's file in a folder such as /tmp. */
const openOrMake = (path: string, mode: number): number => {
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  try {
    return fs.openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown
    return fs.openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  }
}

export interface OwnerRecord {
  readonly index: number
  readonly isMarked: boolean
  readonly inode: bigint
  /** 16 hexadecimal digits, which name the FIFO. */
  readonly owner: string
}

export class OwnerTable {
  readonly #descriptor: number
  #buffer = Buffer.alloc(64 * recordSize)

  private constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  /** Opens or creates a table. Returns `undefined` for another file. @param database descriptor whose permissions it copies */
  static open(path: string, database: number): OwnerTable | undefined {
    const like = fs.fstatSync(database)
    const mode = (like.mode & 0o666) | 0o600
    const descriptor = openOrMake(path, mode)
    const table = new OwnerTable(descriptor)
    try {
      const stat = fs.fstatSync(descriptor)
      const head = Buffer.alloc(magic.length)
      const read = stat.isFile() ? fs.readSync(descriptor, head, 0, head.length, 0) : head.length
      // The file is new, or a power cut preserved only its length.
      if (stat.isFile() && head.every((byte) => byte === 0)) {
        fs.writeSync(descriptor, magic, 0, magic.length, 0)
        if (process.geteuid?.() === 0) fs.fchownSync(descriptor, like.uid, like.gid)
        // The umask removed bits of the mode when the file was created.
        if (stat.uid === process.geteuid?.()) fs.fchmodSync(descriptor, mode)
        return table
      }
      if (read === head.length && head.equals(magic)) return table
    } catch (thrown) {
      // For example, the disk is full: the file could be created, but not written.
      if (fs.fstatSync(descriptor).size === 0) fs.unlinkSync(path)
      table.close()
      throw thrown
    }
    table.close()
    return undefined
  }

  /** The records in the table at `path`; none if there is no readable table. */
  static read(path: string): OwnerRecord[] {
    let descriptor: number
    try {
      descriptor = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    } catch {
      return []
    }
    try {
      return fs.fstatSync(descriptor).isFile() ? new OwnerTable(descriptor).records() : []
    } finally {
      fs.closeSync(descriptor)
    }
  }

  records(): OwnerRecord[] {
    const length = this.#read()
    const records: OwnerRecord[] = []
    for (let start = 0; start < length; start += recordSize) {
      const owner = this.#buffer.toString("latin1", start + at.owner, start + recordSize)
      if (!/^[0-9a-f]{16}$/.test(owner)) continue
      records.push({
        index: start / recordSize,
        isMarked: this.#buffer[start + at.mark] !== 0,
        inode: this.#buffer.readBigUInt64LE(start + at.inode),
        owner,
      })
    }
    return records
  }

  /** Reads the entire table into the buffer. Returns the total length of its complete records. */
  #read(): number {
    for (;;) {
      const read = fs.readSync(this.#descriptor, this.#buffer, 0, this.#buffer.length, recordSize)
      if (read < this.#buffer.length) return read - (read % recordSize)
      this.#buffer = Buffer.alloc(this.#buffer.length * 4)
    }
  }

  /** Whether another owner's record has a mark. Every transaction calls this method, so it creates no objects. */
  isMarkedByAnother(index: number): boolean {
    const length = this.#read()
    for (let start = 0; start < length; start += recordSize) {
      if (this.#buffer[start + at.mark] !== 0 && start !== index * recordSize) return true
    }
    return false
  }

  /** Writes a record without a mark into a free slot. Returns the slot's index. */
  add(inode: bigint, owner: string): number {
    const used = new Set(this.records().map(({ index }) => index))
    let index = 0
    while (used.has(index)) index++
    const record = Buffer.alloc(recordSize)
    record.writeBigUInt64LE(inode, at.inode)
    record.write(owner, at.owner, "latin1")
    this.#write(record, index)
    return index
  }

  clear(index: number): void {
    this.#write(Buffer.alloc(recordSize), index)
  }

  mark(index: number): void {
    this.#write(marked, index)
  }

  unmark(index: number): void {
    this.#write(unmarked, index)
  }

  #write(bytes: Buffer, index: number): void {
    fs.writeSync(this.#descriptor, bytes, 0, bytes.length, (index + 1) * recordSize)
  }

  /** Removes the file, if the name still refers to it. */
  remove(path: string): void {
    const here = fs.fstatSync(this.#descriptor, { bigint: true })
    const there = fs.statSync(path, { bigint: true, throwIfNoEntry: false })
    if (there?.ino === here.ino && there.dev === here.dev) fs.unlinkSync(path)
  }

  close(): void {
    fs.closeSync(this.#descriptor)
  }
}
