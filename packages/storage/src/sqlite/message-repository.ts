/** Messages of the quickstart in SQLite. */
import type { DatabaseSync } from "node:sqlite"
import { type Message, MessageRepository } from "@petstore/core"
import type { Database } from "./database.js"
import { prepareExact } from "./prepare-exact.js"

/** The writes of messages. */
export const messageWrites = (connection: DatabaseSync) => {
  const insert = prepareExact(connection, "INSERT INTO messages (id, account_id, message, created_at) VALUES (?, ?, ?, ?)")
  return {
    insertMessage: ({ id, accountId, message, createdAt }: Message): void =>
      void insert.run(id, accountId, message, createdAt.getTime()),
  }
}

export const sqliteMessageRepository = ({ write }: Database) =>
  MessageRepository.of({ insert: (message) => write("insertMessage", message) })
