/** Converts databases to bytes and back by a backup through a temporary file: the binary exports no function for this. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beginBackup, type Connection, usingConnection } from "./connection.js"
import { errcodeOf, SQLITE_READONLY } from "./errors.js"
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
  to.check(code)
}

/** Returns the pages of the database named `name`. Throws SQLITE_BUSY if there are uncommitted changes. */
export const serialize = (connection: Connection, name: string): Uint8Array<ArrayBuffer> => {
  // The authorizer can refuse the statement that SQLite would prepare.
  connection.tryPrepare(`PRAGMA ${quoted(name)}.page_count`)
  return inTemporaryFile((path) => {
    usingConnection(connection.engine, path, (file) => {
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
  const isNamed = (database: { readonly name: string }) => database.name.toLowerCase() === name.toLowerCase()
  const [one = 0, two = 0] = [connection.databases().find(isNamed)?.entry, other.databases()[0]?.entry]
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
  // The authorizer can refuse the statement that SQLite would prepare.
  connection.tryPrepare(`ATTACH x AS ${quoted(name)}`)
  inTemporaryFile((path) => {
    writeFileSync(path, bytes)
    usingConnection(connection.engine, path, (file) => {
      connection.finalizeStatements()
      try {
        copyAll(file, "main", connection, name)
      } catch (thrown) {
        if (errcodeOf(thrown) !== SQLITE_READONLY) throw thrown
        // An in-memory database that has pages cannot change their size, so an empty database replaces it first.
        usingConnection(connection.engine, ":memory:", (fresh) => {
          copyAll(file, "main", fresh, "main")
          exchangeMain(connection, name, fresh)
        })
      }
    })
  })
}
