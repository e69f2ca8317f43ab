/** Messages in an array. */
import { Effect } from "effect"
import type { Message } from "../message.js"
import { MessageRepository } from "../message-repository.js"

/** Keeps messages in an array of the caller's: the port only inserts, so whoever reads them brings the array. */
export const memoryMessageRepository = (messages: Array<Message>) =>
  MessageRepository.of({ insert: (message) => Effect.sync(() => void messages.push(message)) })
