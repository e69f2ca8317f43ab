/** Messages (specification, section 4.4): their rules, their table in the store's database, and the use case that queues one. */
import { Schema } from "@effect/schema"
import { type ApiKey, Cryptography, decodeBody, randomBase62, storableText } from "@petstore/core"
import { AppDatabase, type AppTable } from "@petstore/storage"
import { DateTime, Effect } from "effect"

/** The maximum number of code points in a message. */
export const messageMaximum = 16_384

/** Decodes a request body from a value that `decodeJson` returned. Fails with `InvalidBody`, which names the invalid field. */
export const decodeNewMessage = decodeBody(Schema.Struct({ message: storableText(messageMaximum) }))

export const messageTable: AppTable = {
  name: "messages",
  create: {
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
  },
}

/** Queues a message for the API key's account. On success, the message is committed. The sample does not deliver messages. */
export const queueMessage = (message: string, { accountId }: ApiKey) =>
  Effect.gen(function* () {
    const { randomBytes } = yield* Cryptography
    const { dialect, write } = yield* AppDatabase
    const id = `msg_${randomBase62(16, randomBytes)}`
    const createdAt = yield* DateTime.nowAsDate
    const values = dialect === "postgres" ? "$1, $2, $3, $4" : "?, ?, ?, ?"
    yield* write(`INSERT INTO messages (id, account_id, message, created_at) VALUES (${values})`, [
      ...[id, accountId, message, createdAt.getTime()],
    ])
    return { id, message, status: "queued", createdAt }
  })
