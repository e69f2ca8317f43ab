/** Every adapter, ready for the contract suites. */
import { DatabaseSync } from "node:sqlite"
import { AccountId, type CredentialRepository, type Message, MessageRepository } from "@petstore/core"
import { DatabaseSync as SqljsDatabaseSync } from "@petstore/sqljs"
import { Context, Effect, Layer } from "effect"
import { sqliteStorage as builtSqliteStorage } from "../dist/sqlite/storage.js"
import { memoryCredentialRepository } from "../src/memory/credential-repository.js"
import { messageRepositoryIn } from "../src/memory/message-repository.js"
import type { DatabaseSyncClass } from "../src/sqlite/database.js"
import { sqliteStorage } from "../src/sqlite/storage.js"
import { type Repositories, storage } from "../src/storage.js"
import { contractDatabase, emptyPostgres, sql } from "./postgres-store.js"
import { newFile, observedSqlite, otherConnection, storeIn, storeInNewFile } from "./sqlite-file.js"

/** Reads every message that a store holds: the port itself only inserts. */
export class KeptMessages extends Context.Tag("KeptMessages")<KeptMessages, Effect.Effect<ReadonlyArray<Message>>>() {}

export interface Adapter {
  readonly name: string
  /** Opens an empty store. */
  readonly empty: Layer.Layer<Repositories, unknown>
  /** Opens an empty store whose messages can be read. */
  readonly emptyWithMessages: Layer.Layer<CredentialRepository | MessageRepository | KeptMessages, unknown>
}

const memoryWithMessages = Layer.unwrapEffect(
  Effect.sync(() => {
    const messages: Array<Message> = []
    return Layer.mergeAll(
      memoryCredentialRepository,
      Layer.succeed(MessageRepository, messageRepositoryIn(messages)),
      Layer.succeed(
        KeptMessages,
        Effect.sync(() => messages),
      ),
    )
  }),
)

const messagesIn = (connection: DatabaseSync): Effect.Effect<ReadonlyArray<Message>> =>
  Effect.sync(() =>
    connection
      .prepare("SELECT id, account_id, message, created_at FROM messages")
      .all()
      .map((row) => ({
        id: String(row["id"]),
        accountId: AccountId.make(String(row["account_id"])),
        message: String(row["message"]),
        createdAt: new Date(Number(row["created_at"])),
      })),
  )

const fileWithMessages = (open: (path: string) => Layer.Layer<Repositories, unknown>, Sqlite: DatabaseSyncClass = DatabaseSync) =>
  Layer.unwrapScoped(
    Effect.map(newFile, (path) =>
      Layer.provideMerge(Layer.scoped(KeptMessages, Effect.map(otherConnection(path, Sqlite), messagesIn)), open(path)),
    ),
  )

const sqljsIn = (path: string) => storage({ adapter: "sqljs", path }, { migrate: true })

/** As on a slow disk. The thread starts from a file of its own, which only the built package has. */
const writtenByThread = (path: string) => builtSqliteStorage(DatabaseSync, path, { migrate: true }, "always")

/** No second connection sees a store in memory, so the engine is one that remembers what it opened. */
const inMemoryWithMessages = (Engine: DatabaseSyncClass) =>
  Layer.unwrapEffect(
    Effect.sync(() => {
      const { Sqlite, opened } = observedSqlite(Engine)
      const kept = Effect.suspend(() => Effect.map(Effect.forEach(opened, messagesIn), (messages) => messages.flat()))
      return Layer.merge(sqliteStorage(Sqlite, ":memory:", { migrate: true }), Layer.succeed(KeptMessages, kept))
    }),
  )

const postgresWithMessages = Layer.provideMerge(
  Layer.succeed(
    KeptMessages,
    Effect.promise(async () => {
      const rows = await sql(await contractDatabase(), "SELECT id, account_id, message, created_at FROM messages")
      return rows.map((row) => ({
        id: String(row["id"]),
        accountId: AccountId.make(String(row["account_id"])),
        message: String(row["message"]),
        createdAt: new Date(Number(row["created_at"])),
      }))
    }),
  ),
  emptyPostgres,
)

export const sqliteAdapters: ReadonlyArray<Adapter> = [
  { name: "a SQLite file", empty: storeInNewFile, emptyWithMessages: fileWithMessages(storeIn) },
  {
    name: "a SQLite file with a writer thread",
    empty: Layer.unwrapScoped(Effect.map(newFile, writtenByThread)),
    emptyWithMessages: fileWithMessages(writtenByThread),
  },
  {
    name: "SQLite in memory",
    empty: storage({ adapter: "sqlite", path: ":memory:" }, { migrate: true }),
    emptyWithMessages: inMemoryWithMessages(DatabaseSync),
  },
]

export const sqljsAdapters: ReadonlyArray<Adapter> = [
  {
    name: "a file of sql.js",
    empty: Layer.unwrapScoped(Effect.map(newFile, sqljsIn)),
    emptyWithMessages: fileWithMessages(sqljsIn, SqljsDatabaseSync),
  },
  {
    name: "sql.js in memory",
    empty: sqljsIn(":memory:"),
    emptyWithMessages: inMemoryWithMessages(SqljsDatabaseSync),
  },
]

export const memoryAdapters: ReadonlyArray<Adapter> = [
  { name: "memory", empty: storage({ adapter: "memory" }, { migrate: true }), emptyWithMessages: memoryWithMessages },
]

export const postgresAdapters: ReadonlyArray<Adapter> = [
  { name: "PostgreSQL", empty: emptyPostgres, emptyWithMessages: postgresWithMessages },
]

export const adapters: ReadonlyArray<Adapter> = [...memoryAdapters, ...sqliteAdapters, ...sqljsAdapters, ...postgresAdapters]
