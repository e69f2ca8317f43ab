/** Use case of the quickstart: queue a message. */
import { type ApiKey, Cryptography, randomBase62, type StorageUnavailable } from "@petstore/core"
import { DateTime, Effect } from "effect"
import type { Message, NewMessage } from "./message.js"
import { MessageRepository } from "./message-repository.js"

/**
 * Queues a message for the account of an API key. When it succeeds the message
 * is kept for good; delivering it is not part of the sample.
 */
export const queueMessage = (
  { message }: NewMessage,
  { accountId }: ApiKey,
): Effect.Effect<Message, StorageUnavailable, MessageRepository | Cryptography> =>
  Effect.gen(function* () {
    const { randomBytes } = yield* Cryptography
    const createdAt = yield* DateTime.nowAsDate
    const queued: Message = { id: `msg_${randomBase62(16, randomBytes)}`, accountId, message, createdAt }
    yield* (yield* MessageRepository).insert(queued)
    return queued
  })
