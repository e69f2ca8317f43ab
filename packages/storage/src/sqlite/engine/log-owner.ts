/**
 * Tells whether a log or journal that was left next to a file belongs to that file. SQLite finds a log by its name alone, and
 * would replay the log of a replaced file into the new file. Page 1 tells them apart, because it holds the store's number: a
 * service raises the number in each generation of the log, so that the log holds the file's number and the next one.
 */
import { closeSync, openSync, readSync } from "node:fs"
import { hasCode } from "../../publish-file.js"
import { headOf, isThere } from "./store-file.js"

/** Positions in page 1 (https://sqlite.org/fileformat2.html#the_database_header). */
const changesAt = 24
const schemaAt = 40
const numberAt = 68
const headLength = 72

/** The lengths of a log's header and of the header before each page (https://sqlite.org/fileformat2.html#walformat). */
const logHead = 32
const frameHead = 24

/** A journal's first bytes, and the positions in its header (https://sqlite.org/fileformat2.html#rollbackjournal). */
const journalMagic = "d9d505f920a163d7"
const recordsAt = 8
const sectorSizeAt = 20
const pageSizeAt = 24

type Read = (position: number, length: number) => Buffer

/** `undefined` without the file: the program that has the store open may delete a log or journal at any time. */
const reading = <A>(path: string, work: (read: Read) => A): A | undefined => {
  let descriptor: number
  try {
    descriptor = openSync(path, "r")
  } catch (thrown) {
    if (hasCode(thrown, "ENOENT")) return undefined
    throw thrown
  }
  try {
    return work((position, length) => {
      const bytes = Buffer.alloc(length)
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position))
    })
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Two random numbers and a counter that SQLite changes whenever it begins the log anew; `undefined` if there is no log, or if it
 * cannot be read now, as in a process without free file descriptors.
 */
export const generationOf = (file: string): string | undefined => {
  const log = `${file}-wal`
  try {
    const head = reading(log, (read) => read(0, logHead))
    return head === undefined || head.length < logHead ? undefined : head.toString("hex", 12, 24)
  } catch {
    return undefined
  }
}

/** The beginnings of a log's versions of page 1. */
const headsIn = (log: string): ReadonlyArray<Buffer> | undefined =>
  reading(log, (read) => {
    const heads: Array<Buffer> = []
    const head = read(0, logHead)
    if (head.length < logHead) return heads
    const pageSize = head.readUInt32BE(8)
    for (let at = logHead; pageSize > 0; at += frameHead + pageSize) {
      const frame = read(at, frameHead + headLength)
      // Frames of an earlier generation follow those of this one.
      if (frame.length < frameHead + headLength || frame.compare(head, 16, 24, 8, 16) !== 0) break
      if (frame.readUInt32BE(0) === 1) heads.push(frame.subarray(frameHead))
    }
    return heads
  })

/** The former page 1 in a journal that would be rolled back, up to the store's number, if it is in the journal's first part. */
const formerHead = (journal: string): Buffer | undefined =>
  reading(journal, (read) => {
    const head = read(0, 28)
    if (head.length < 28 || head.toString("hex", 0, 8) !== journalMagic) return undefined
    const records = head.readUInt32BE(recordsAt)
    const pageSize = head.readUInt32BE(pageSizeAt)
    let at = head.readUInt32BE(sectorSizeAt)
    for (let record = 0; record < records; record += 1) {
      const page = read(at, 4 + headLength)
      if (page.length < 4 + headLength) return undefined
      if (page.readUInt32BE(0) === 1) return page.subarray(4)
      at += 4 + pageSize + 4
    }
    return undefined
  })

/** The schema number of a copy that SQLite's backup made. A store's schema is made of more changes. */
const ofBackup = 1

const isForeignLog = (file: string): boolean => {
  const log = `${file}-wal`
  if (!isThere(log)) return false
  const head = headOf(file)
  const number = numberIn(head)
  const schema = head.readUInt32BE(schemaAt)
  const heads = headsIn(log)
  if (heads === undefined) return false
  const isLogged = heads.some((logged) => {
    const later = logged.readUInt32BE(schemaAt)
    return numberIn(logged) === number && (later === schema || (later > schema && schema !== ofBackup))
  })
  // A store has its number before it has a log; a backup has none.
  if (isLogged || (heads.length === 0 && number !== 0)) return false
  // A program that has the store open may have written the log into the file meanwhile, and begun another log.
  return headOf(file).equals(head) || isForeignLog(file)
}

const isForeignJournal = (file: string): boolean => {
  const journal = `${file}-journal`
  const former = formerHead(journal)
  if (former === undefined) return false
  const head = headOf(file)
  const isOneMore = (difference: number): boolean => difference === 0 || difference === 1
  // Every transaction raises the counter, one may give or raise the number, and a killed one may have written page 1.
  const isOfStore = numberIn(former) === 0 || isOneMore(numberIn(head) - numberIn(former))
  if (isOfStore && isOneMore(head.readUInt32BE(changesAt) - former.readUInt32BE(changesAt))) return false
  // A program that has the store open may have committed meanwhile, and begun another journal.
  return formerHead(journal)?.equals(former) === true || isForeignJournal(file)
}

const numberIn = (head: Buffer): number => head.readUInt32BE(numberAt)

/** The suffix of a log or journal next to the file that belongs to another file, which was there before. */
export const foreignLog = (file: string): "-wal" | "-journal" | undefined => {
  // A file that is not a store is refused later.
  if (!isThere(file) || headOf(file).length < headLength) return undefined
  if (isForeignLog(file)) return "-wal"
  return isForeignJournal(file) ? "-journal" : undefined
}
