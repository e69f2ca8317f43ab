/** A copy of a SQLite store while it is in use, and the way back. Each is verified by a count and a checksum. */
import { existsSync } from "node:fs"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import type { backup, DatabaseSync } from "node:sqlite"
import { BackupFailed } from "../backup-failed.js"
import { type Contents, contentsOf, isSame } from "./contents.js"

/** What opens and copies files: `node:sqlite`, or `@petstore/sqljs` with the same API. */
export interface Engine {
  readonly DatabaseSync: new (path: string, options: { readonly timeout: number; readonly readOnly?: boolean }) => DatabaseSync
  readonly backup: typeof backup
}

/** What a backup says of itself, inside of the file: it cannot be lost on the way. */
const manifest = "petstore_backup"

/** Copies every page in one step: a copy in several steps starts anew whenever somebody writes. */
const allPages = 2 ** 31 - 1

/** How long to wait for the lock of another process, in ms. */
const timeout = 5_000

/** Makes what was written to a file, and the name of the file, survive a power failure. */
const toDisk = async (file: string): Promise<void> => {
  for (const path of [file, dirname(file)]) {
    const handle = await open(path)
    await handle.sync()
    await handle.close()
  }
}

const removeWithLogs = async (file: string): Promise<void> => {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) await rm(`${file}${suffix}`, { force: true })
}

/** Copies the store as it is at this moment. What it contains is read in the same snapshot. */
const copyOf = async ({ DatabaseSync, backup }: Engine, path: string, file: string): Promise<Contents> => {
  const source = new DatabaseSync(path, { readOnly: true, timeout })
  try {
    source.exec("BEGIN")
    const contents = contentsOf(source, manifest)
    await backup(source, file, { rate: allPages })
    source.exec("COMMIT")
    return contents
  } finally {
    source.close()
  }
}

/** Opens a copy for good: as one file, without a log beside it. */
const openCopy = ({ DatabaseSync }: Engine, file: string): DatabaseSync => {
  const copy = new DatabaseSync(file, { timeout })
  copy.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
  return copy
}

/** Makes a file under its name only when it is whole: until then it has another one. */
const makeWhole = async (file: string, make: (unfinished: string) => Promise<Contents>): Promise<Contents> => {
  const unfinished = `${file}.unfinished`
  await mkdir(dirname(file), { recursive: true })
  await removeWithLogs(unfinished)
  try {
    const contents = await make(unfinished)
    await toDisk(unfinished)
    await rename(unfinished, file)
    await toDisk(file)
    return contents
  } finally {
    await removeWithLogs(unfinished)
  }
}

/** Copies the store at `path` to a new file, while others read and write it. Rejects with `BackupFailed`. */
export const backupSqlite = async (engine: Engine, path: string, file: string): Promise<Contents> => {
  if (!existsSync(path)) throw new BackupFailed({ reason: `There is no store at ${path}.` })
  if (existsSync(file)) throw new BackupFailed({ reason: `${file} exists already, and a backup replaces nothing.` })
  return makeWhole(file, async (unfinished) => {
    const contents = await copyOf(engine, path, unfinished)
    const copy = openCopy(engine, unfinished)
    try {
      if (!isSame(contents, contentsOf(copy, manifest))) {
        throw new BackupFailed({ reason: "The copy differs from the store. It was thrown away." })
      }
      copy.exec(`CREATE TABLE ${manifest} (pets INTEGER NOT NULL, checksum TEXT NOT NULL) STRICT`)
      copy.prepare(`INSERT INTO ${manifest} VALUES (?, ?)`).run(contents.pets, contents.checksum)
    } finally {
      copy.close()
    }
    return contents
  })
}

const promisedBy = (copy: DatabaseSync, file: string): Contents => {
  const isBackup = copy.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(manifest) !== undefined
  if (!isBackup) throw new BackupFailed({ reason: `${file} is not a backup of this program.` })
  const select = copy.prepare(`SELECT pets, checksum FROM ${manifest}`)
  select.setReadBigInts(true)
  const row = select.get()
  return { pets: BigInt(String(row?.["pets"])), checksum: String(row?.["checksum"]) }
}

/** Moves the store at `path` aside, as one file. A store that somebody has open stays where it is. */
const moveAside = async ({ DatabaseSync }: Engine, path: string): Promise<string> => {
  try {
    const store = new DatabaseSync(path, { timeout: 0 })
    try {
      // Leaving WAL takes that nobody else has the file open.
      store.exec("PRAGMA journal_mode = DELETE")
    } finally {
      store.close()
    }
  } catch (cause) {
    throw new BackupFailed({ reason: `The store at ${path} is in use. Stop the service first.`, cause })
  }
  const aside = `${path}.before-restore-${new Date().toISOString().replace(/[:.]/g, "-")}`
  await rename(path, aside)
  return aside
}

/** What came of a restore. */
export interface Restored extends Contents {
  /** Where the store is that was there before, if there was one. */
  readonly movedAside: string | undefined
}

/**
 * Makes the store at `path` from a backup. The backup stays as it is. Rejects with `BackupFailed`.
 *
 * @param replace  whether a store that is there already is moved aside; if not, it is kept and nothing happens
 */
export const restoreSqlite = async (engine: Engine, path: string, file: string, replace: boolean): Promise<Restored> => {
  if (!existsSync(file)) throw new BackupFailed({ reason: `There is no file ${file}.` })
  if (existsSync(path) && !replace) {
    throw new BackupFailed({ reason: `There is a store at ${path} already. Say --replace to move it aside.` })
  }
  let movedAside: string | undefined
  const contents = await makeWhole(path, async (unfinished) => {
    const promised = await (async () => {
      const original = new engine.DatabaseSync(file, { readOnly: true, timeout })
      try {
        const promise = promisedBy(original, file)
        await engine.backup(original, unfinished, { rate: allPages })
        return promise
      } finally {
        original.close()
      }
    })()
    const copy = openCopy(engine, unfinished)
    try {
      const [problem] = copy.prepare("PRAGMA integrity_check(1)").all()
      if (problem?.["integrity_check"] !== "ok" || !isSame(promised, contentsOf(copy, manifest))) {
        throw new BackupFailed({ reason: `${file} does not contain what was backed up: it is damaged. Nothing was changed.` })
      }
      copy.exec(`DROP TABLE ${manifest}`)
    } finally {
      copy.close()
    }
    if (existsSync(path)) movedAside = await moveAside(engine, path)
    return promised
  })
  return { ...contents, movedAside }
}
