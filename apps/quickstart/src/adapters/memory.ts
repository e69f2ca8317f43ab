/** Messages in an array. */
import { Effect } from "effect"
import type { Message } from "../message.js"
import { MessageRepository } from "../message-repository.js"

/** Keeps messages in the caller's array: the port only inserts, so the caller reads them there. */
export const memoryMessageRepository = (messages: Array<Message>) =>
  MessageRepository.of({ insert: (message) => Effect.sync(() => void messages.push(message)) })
