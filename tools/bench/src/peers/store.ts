/** The peers' store: our schema, one prepared statement per call, one durable transaction per create. */
import { type KeyRow, type NewPetBody, type PageQuery, type PetRow, petOf, requireValid, sha256 } from "./rules.ts"

export type PeerStore = ReturnType<typeof sqliteStore>

export type WaitingPeerStore = {
  readonly [Question in keyof PeerStore]: (
    ...asked: Parameters<PeerStore[Question]>
  ) => ReturnType<PeerStore[Question]> | Promise<ReturnType<PeerStore[Question]>>
}

/** A database of better-sqlite3 or `node:sqlite`. */
interface Database {
  exec(sql: string): unknown
  prepare(sql: string): Statement
}

interface Statement {
  get(...parameters: Array<unknown>): unknown
  all(...parameters: Array<unknown>): ReadonlyArray<unknown>
  run(...parameters: Array<unknown>): { readonly lastInsertRowid: number | bigint }
}

const columns = `id, name, category_id AS "categoryId", status`

export const sqliteStore = (database: Database) => {
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;")
  const key = database.prepare("SELECT id, expires_at, revoked_at FROM api_keys WHERE hash = ?")
  const pages = database.prepare(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`)
  const filtered = database.prepare(`SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`)
  const one = database.prepare(`SELECT ${columns} FROM pets WHERE id = ?`)
  const insert = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)")

  const pet = (row: unknown, id?: number): PetRow => petOf(row as PetRow | undefined, id) // Safe: `columns` names its members

  return {
    checkKey: (secret: string) => requireValid(key.get(sha256(secret)) as KeyRow | undefined), // Safe: the statement selects these columns
    page: ({ limit, status, after }: PageQuery) =>
      (status === undefined ? pages.all(after, limit + 1) : filtered.all(status, after, limit + 1)).map((row) => pet(row)),
    find: (id: number) => pet(Number.isSafeInteger(id) ? one.get(id) : undefined, id),
    create: ({ name, categoryId, status }: NewPetBody): PetRow => {
      const id = Number(insert.run(name, categoryId, status ?? null).lastInsertRowid)
      return status === undefined ? { id, name, categoryId } : { id, name, categoryId, status }
    },
  }
}
