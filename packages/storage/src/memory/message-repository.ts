/** Messages in an array. */
import { type Message, MessageRepository } from "@petstore/core"
import { Effect, Layer } from "effect"

export const memoryMessageRepository = Layer.sync(MessageRepository, () => {
  const messages: Array<Message> = []
  return MessageRepository.of({ insert: (message) => Effect.sync(() => void messages.push(message)) })
})
