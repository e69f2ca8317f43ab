/** Messages of the quickstart in PostgreSQL. */
import { MessageRepository } from "@petstore/core"
import { Effect } from "effect"
import type { Database } from "./database.js"

export const postgresMessageRepository = ({ write }: Database) =>
  MessageRepository.of({
    insert: ({ id, accountId, message, createdAt }) =>
      Effect.asVoid(
        write("INSERT INTO messages (id, account_id, message, created_at) VALUES ($1, $2, $3, $4)", [
          id,
          accountId,
          message,
          createdAt.getTime(),
        ]),
      ),
  })
