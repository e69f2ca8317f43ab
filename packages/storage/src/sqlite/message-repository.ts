/** Messages of the quickstart in SQLite. */
import { MessageRepository } from "@petstore/core"
import type { Database } from "./database.js"

export const sqliteMessageRepository = ({ prepare, write }: Database) => {
  const insert = prepare("INSERT INTO messages (id, account_id, message, created_at) VALUES (?, ?, ?, ?)")
  return MessageRepository.of({
    insert: ({ id, accountId, message, createdAt }) => write(() => void insert.run(id, accountId, message, createdAt.getTime())),
  })
}
