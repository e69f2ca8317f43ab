/** The repository of messages in the database that holds the inventory: a table of this app's own beside the others. */
import { AppDatabase, type AppTable } from "@petstore/storage"
import { Effect, Layer } from "effect"
import { memoryMessageRepository } from "./adapters/memory.js"
import { createMessages, sqlMessageRepository } from "./adapters/sql.js"
import { MessageRepository } from "./message-repository.js"

/** The table. A store that an older release made has it already: it is used as it is, with its rows. */
export const messageTable: AppTable = {
  name: "messages",
  create: createMessages,
  distributionColumn: "id",
}

/** The adapter that the database needs. */
export const messageRepository: Layer.Layer<MessageRepository, never, AppDatabase> = Layer.effect(
  MessageRepository,
  Effect.map(AppDatabase, (database) =>
    database.dialect === "none" ? memoryMessageRepository([]) : sqlMessageRepository(database.dialect, database),
  ),
)
