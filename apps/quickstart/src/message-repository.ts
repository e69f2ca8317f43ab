/** Port: where messages are kept. */
import type { StorageUnavailable } from "@petstore/core"
import { Context, type Effect } from "effect"
import type { Message } from "./message.js"

/** Keeps messages. Every adapter passes its contract suite, `test/message-repository-contract.ts`. */
export class MessageRepository extends Context.Tag("petstore-quickstart/MessageRepository")<
  MessageRepository,
  {
    /** Keeps a message of an account that exists. When it succeeds the message survives the death of the process and of the machine. */
    readonly insert: (message: Message) => Effect.Effect<void, StorageUnavailable>
  }
>() {}
