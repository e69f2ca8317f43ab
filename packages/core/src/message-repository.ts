/** Port: where messages of the quickstart are kept. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "./errors.js"
import type { Message } from "./message.js"

/** Keeps messages. Its promises are a contract suite in `@petstore/core/testing`. */
export class MessageRepository extends Context.Tag("@petstore/core/MessageRepository")<
  MessageRepository,
  {
    /** Keeps a message of an account that exists. When it succeeds the message survives the death of the process and of the machine. */
    readonly insert: (message: Message) => Effect.Effect<void, StorageUnavailable>
  }
>() {}
