/** Messages in an array. */
import { type Message, MessageRepository } from "@petstore/core"
import { Effect, Layer } from "effect"

/** Keeps messages in an array of the caller's: the port only inserts, so whoever reads them brings the array. */
export const messageRepositoryIn = (messages: Array<Message>) =>
  MessageRepository.of({ insert: (message) => Effect.sync(() => void messages.push(message)) })

export const memoryMessageRepository = Layer.sync(MessageRepository, () => messageRepositoryIn([]))
