/** The contract suite of messages on every adapter, on the real thing. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AppDatabase, type DatabaseUrl, postgresDefaults, storage } from "@petstore/storage"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { Context, Effect, Layer } from "effect"
import { memoryMessageRepository } from "../src/adapters/memory.js"
import type { Message } from "../src/message.js"
import { MessageRepository } from "../src/message-repository.js"
import { messageRepository, messageTable } from "../src/message-storage.js"
import { messageRepositoryContract } from "./message-repository-contract.js"

class KeptMessages extends Context.Tag("KeptMessages")<KeptMessages, ReadonlyArray<Message>>() {}

const memory = Layer.unwrapEffect(
  Effect.sync(() => {
    const messages: Array<Message> = []
    return Layer.mergeAll(
      storage({ adapter: "memory" }, { migrate: true }),
      Layer.succeed(MessageRepository, memoryMessageRepository(messages)),
      Layer.succeed(KeptMessages, messages),
    )
  }),
)
messageRepositoryContract("memory", memory, KeptMessages)

const kept = Effect.flatMap(AppDatabase, ({ read }) =>
  Effect.map(read("SELECT id, account_id, message, created_at FROM messages", []), (rows) =>
    rows.map(
      ([id, account, message, createdAt]): Message => ({
        id: String(id),
        accountId: String(account),
        message: String(message),
        createdAt: new Date(Number(createdAt)),
      }),
    ),
  ),
)

/** A machine that is busy with other tests is slow, and slowness is not what is looked for. */
const postgres = { ...postgresDefaults, statementTimeoutMillis: 20_000 }

const store = (url: DatabaseUrl) =>
  Layer.provideMerge(messageRepository, storage(url, { migrate: true, appTables: [messageTable], postgres }))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "petstore-messages-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

for (const adapter of ["sqlite", "sqljs"] as const) {
  const inNewFile = Layer.unwrapScoped(Effect.map(folder, (path) => store({ adapter, path: join(path, "petstore.db") })))
  messageRepositoryContract(`a file of ${adapter}`, inNewFile, kept)
}

let made: Promise<string> | undefined

const emptyPostgres = Layer.unwrapEffect(
  Effect.promise(async () => {
    made ??= newPostgresDatabase()
    const layer = store({ adapter: "postgres", url: await made })
    const clear = Effect.flatMap(AppDatabase, ({ write }) => write("TRUNCATE messages, accounts", []))
    return Layer.tap(layer, (context) => Effect.provide(clear, context))
  }),
)
messageRepositoryContract("PostgreSQL", emptyPostgres, kept)
