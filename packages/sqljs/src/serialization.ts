/**
 * A whole database as bytes, and back. The binary exports neither of
 * SQLite's functions for it, so a backup goes through a temporary file.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Connection } from "./connection.js"
import { SQLITE_DONE } from "./errors.js"
import { beginBackup, openConnection } from "./open-connection.js"

const inTemporaryFile = <A>(use: (path: string) => A): A => {
  const folder = mkdtempSync(join(tmpdir(), "sqljs-"))
  try {
    return use(join(folder, "database"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const copyAll = (from: Connection, fromName: string, to: Connection, toName: string): void => {
  const { call } = from.engine
  const job = beginBackup(from, fromName, to, toName)
  const code = call.sqlite3_backup_step(job, -1)
  call.sqlite3_backup_finish(job)
  to.check(code, SQLITE_DONE)
}

const onFile = <A>({ engine }: Connection, path: string, use: (file: Connection) => A): A => {
  const file = openConnection(engine, path)
  try {
    return use(file)
  } finally {
    file.close()
  }
}

/** The pages of a database by its name. Uncommitted changes are refused with SQLITE_BUSY. */
export const serialize = (connection: Connection, name: string): Uint8Array<ArrayBuffer> =>
  inTemporaryFile((path) => {
    onFile(connection, path, (file) => {
      copyAll(connection, name, file, "main")
      // A database without a page is written as one empty page, as SQLite itself serializes it.
      file.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      if (readFileSync(path).length === 0) file.exec("CREATE TABLE page (a); DROP TABLE page; VACUUM")
    })
    return new Uint8Array(readFileSync(path))
  })

/** Replaces the database of that name, which is in memory, by these bytes. */
export const deserialize = (connection: Connection, name: string, bytes: Uint8Array): void =>
  inTemporaryFile((path) => {
    writeFileSync(path, bytes)
    onFile(connection, path, (file) => {
      connection.finalizeStatements()
      copyAll(file, "main", connection, name)
    })
  })
