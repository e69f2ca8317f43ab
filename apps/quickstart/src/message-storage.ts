/** The repository of messages in the database that holds the inventory: a table of this app's own beside the others. */
import { GuestDatabase, type GuestTable } from "@petstore/storage"
import { Effect, Layer } from "effect"
import { memoryMessageRepository } from "./adapters/memory.js"
import { postgresMessageRepository, postgresMessageTable } from "./adapters/postgres.js"
import { sqliteMessageRepository, sqliteMessageTable } from "./adapters/sqlite.js"
import { MessageRepository } from "./message-repository.js"

/** The table. A store that an older release made has it already: it is used as it is, with its rows. */
export const messageTable: GuestTable = {
  name: "messages",
  create: { sqlite: sqliteMessageTable, postgres: postgresMessageTable },
  spreadBy: "id",
}

/** The adapter that the database needs. */
export const messageRepository: Layer.Layer<MessageRepository, never, GuestDatabase> = Layer.effect(
  MessageRepository,
  Effect.map(GuestDatabase, (database) => {
    switch (database.dialect) {
      case "sqlite":
        return sqliteMessageRepository(database)
      case "postgres":
        return postgresMessageRepository(database)
      case "none":
        return memoryMessageRepository([])
    }
  }),
)
