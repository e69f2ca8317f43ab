/** Messages in a database: one statement for SQLite, and for PostgreSQL. */
import type { AppDatabase } from "@petstore/storage"
import type { Context } from "effect"
import { MessageRepository } from "../message-repository.js"

/** As the first release of the store made the table. PostgreSQL has no foreign key: engines that spread tables over machines do not have them. */
export const createMessages = {
  sqlite: `CREATE TABLE IF NOT EXISTS messages (
  id TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  message TEXT NOT NULL,
  created_at INTEGER NOT NULL -- ms since 1970
) STRICT`,
  postgres: `CREATE TABLE IF NOT EXISTS messages (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  message text COLLATE "C" NOT NULL,
  created_at int8 NOT NULL -- ms since 1970
)`,
}

const parameters = { sqlite: "?, ?, ?, ?", postgres: "$1, $2, $3, $4" }

export const sqlMessageRepository = (dialect: keyof typeof parameters, { write }: Context.Tag.Service<AppDatabase>) =>
  MessageRepository.of({
    insert: ({ id, accountId, message, createdAt }) =>
      write(`INSERT INTO messages (id, account_id, message, created_at) VALUES (${parameters[dialect]})`, [
        id,
        accountId,
        message,
        createdAt.getTime(),
      ]),
  })
