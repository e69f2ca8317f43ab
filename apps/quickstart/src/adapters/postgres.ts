/** Messages in PostgreSQL. */
import type { GuestDatabase } from "@petstore/storage"
import type { Context } from "effect"
import { MessageRepository } from "../message-repository.js"

/** As the first release of the store made it. No foreign key: engines that spread tables over machines do not have them. */
export const postgresMessageTable = `CREATE TABLE IF NOT EXISTS messages (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  message text COLLATE "C" NOT NULL,
  created_at int8 NOT NULL -- ms since 1970
)`

export const postgresMessageRepository = ({ write }: Context.Tag.Service<GuestDatabase>) =>
  MessageRepository.of({
    insert: ({ id, accountId, message, createdAt }) =>
      write("INSERT INTO messages (id, account_id, message, created_at) VALUES ($1, $2, $3, $4)", [
        id,
        accountId,
        message,
        createdAt.getTime(),
      ]),
  })
