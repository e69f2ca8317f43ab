/** Messages in SQLite. */
import type { GuestDatabase } from "@petstore/storage"
import type { Context } from "effect"
import { MessageRepository } from "../message-repository.js"

/** As the first release of the store made it. */
export const sqliteMessageTable = `CREATE TABLE IF NOT EXISTS messages (
  id TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  message TEXT NOT NULL,
  created_at INTEGER NOT NULL -- ms since 1970
) STRICT`

export const sqliteMessageRepository = ({ write }: Context.Tag.Service<GuestDatabase>) =>
  MessageRepository.of({
    insert: ({ id, accountId, message, createdAt }) =>
      write("INSERT INTO messages (id, account_id, message, created_at) VALUES (?, ?, ?, ?)", [
        id,
        accountId,
        message,
        createdAt.getTime(),
      ]),
  })
