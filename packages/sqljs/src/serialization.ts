/**
 * Converts entire databases to bytes and back. The binary does not export SQLite's functions for this conversion, so this module
 * uses a backup through a temporary file.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Connection } from "./connection.js"
import { errcodeOf, SQLITE_DONE, SQLITE_READONLY } from "./errors.js"
import { beginBackup, openConnection } from "./open-connection.js"
import { quoted } from "./query.js"
import * as structures from "./structures.js"

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

/** Asks the authorizer about the statement that SQLite would prepare. A refusal throws SQLITE_AUTH or the authorizer's error. */
const askLeave = (connection: Connection, sql: string): void => {
  connection.engine.call.sqlite3_finalize(connection.prepare(sql))
}

/** Returns the pages of the database named `name`. Throws SQLITE_BUSY if there are uncommitted changes. */
export const serialize = (connection: Connection, name: string): Uint8Array<ArrayBuffer> => {
  askLeave(connection, `PRAGMA ${quoted(name)}.page_count`)
  return inTemporaryFile((path) => {
    onFile(connection, path, (file) => {
      file.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE")
      copyAll(connection, name, file, "main")
      // A database without pages is written as one empty page, as in SQLite's own serialization.
      if (statSync(path).size === 0) file.exec("CREATE TABLE page (a); DROP TABLE page; VACUUM")
    })
    return new Uint8Array(readFileSync(path))
  })
}

/** Exchanges a connection's database with another connection's main database. Neither may be in use. */
const exchangeMain = (connection: Connection, name: string, other: Connection): void => {
  const { memory } = connection.engine
  const entries = [connection, other].map(({ handle }, which) => {
    const first = memory.int(handle + structures.database.schemas)
    const names = Array.from({ length: memory.int(handle + structures.database.schemaCount) }, (_, index) =>
      memory.text(memory.int(first + index * structures.schema.entrySize + structures.schema.entryName)).toLowerCase(),
    )
    return first + (which === 0 ? names.indexOf(name.toLowerCase()) : 0) * structures.schema.entrySize
  })
  const [one = 0, two = 0] = entries
  const flags = memory.int(connection.handle + structures.database.flags)
  // Makes SQLite discard the schemas.
  connection.unauthorized(() => connection.exec("PRAGMA writable_schema = RESET"))
  memory.setInt(connection.handle + structures.database.flags, flags)
  for (const member of [structures.schema.entryTree, structures.schema.entrySchema]) {
    const kept = memory.int(one + member)
    memory.setInt(one + member, memory.int(two + member))
    memory.setInt(two + member, kept)
  }
  for (const [entry, { handle }] of [
    [one, connection],
    [two, other],
  ] as const) {
    const tree = memory.int(entry + structures.schema.entryTree)
    memory.setInt(tree + structures.tree.connection, handle)
    memory.setInt(memory.int(tree + structures.tree.shared) + structures.sharedTree.connection, handle)
  }
}

/** Replaces the in-memory database named `name` with the database in `bytes`. */
export const deserialize = (connection: Connection, name: string, bytes: Uint8Array): void => {
  askLeave(connection, `ATTACH x AS ${quoted(name)}`)
  inTemporaryFile((path) => {
    writeFileSync(path, bytes)
    onFile(connection, path, (file) => {
      connection.finalizeStatements()
      try {
        copyAll(file, "main", connection, name)
      } catch (thrown) {
        if (errcodeOf(thrown) !== SQLITE_READONLY) throw thrown
        // An in-memory database that has pages cannot change their size, so an empty database replaces it first.
        const fresh = openConnection(connection.engine, ":memory:")
        copyAll(file, "main", fresh, "main")
        exchangeMain(connection, name, fresh)
        fresh.close()
      }
    })
  })
}
