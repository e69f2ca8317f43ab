/** The promises of `MessageRepository`, for every adapter of it. */
import { CredentialRepository } from "@petstore/core"
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { type Message, messageMaximum } from "../src/message.js"
import { MessageRepository } from "../src/message-repository.js"

/** The accounts whose messages the suite inserts. */
const owners = ["acc_owner", "acc_other"] as const

const newMessage = (id: string, rest: Partial<Message> = {}): Message => ({
  id: `msg_${id}`,
  accountId: owners[0],
  message: "Hello",
  createdAt: new Date("2026-01-02T03:04:05.678Z"),
  ...rest,
})

const byId = (one: Message, other: Message): number => (one.id < other.id ? -1 : 1)

/**
 * Declares the contract suite of `MessageRepository` in vitest.
 *
 * @param adapter  what the report calls the adapter
 * @param empty    opens a store without messages and accounts; built anew for each test
 * @param kept     reads every message that the store holds, in any order: the port itself only inserts
 */
export const messageRepositoryContract = <Inside>(
  adapter: string,
  empty: Layer.Layer<MessageRepository | CredentialRepository | Inside, unknown>,
  kept: Effect.Effect<ReadonlyArray<Message>, unknown, Inside>,
): void => {
  describe(`MessageRepository on ${adapter}`, () => {
    const promise = (name: string, test: Effect.Effect<void, unknown, MessageRepository | CredentialRepository | Inside>) =>
      it(name, () => Effect.runPromise(Effect.provide(test, empty)))

    const keepsExactly = (messages: ReadonlyArray<Message>) =>
      Effect.gen(function* () {
        const credentials = yield* CredentialRepository
        for (const id of owners) yield* credentials.insertAccount({ id, name: id, createdAt: new Date(0) })
        const repository = yield* MessageRepository
        yield* Effect.forEach(messages, repository.insert, { concurrency: "unbounded", discard: true })
        expect((yield* kept).toSorted(byId)).toStrictEqual(messages.toSorted(byId))
      })

    promise("holds nothing at first", keepsExactly([]))

    for (const message of ["é", "e\u0301", " spaces ", "'; DROP TABLE messages; --", "\u2028\r\n\t", "🐕‍🦺", "$1 ?"]) {
      promise(`keeps the message ${JSON.stringify(message)} exactly as given`, keepsExactly([newMessage("one", { message })]))
    }

    promise("keeps the longest message", keepsExactly([newMessage("one", { message: "🐕".repeat(messageMaximum) })]))

    promise(
      "keeps its moment to the millisecond",
      keepsExactly([
        newMessage("one", { createdAt: new Date("2026-01-02T03:04:05.001Z") }),
        newMessage("two", { createdAt: new Date("9999-12-31T23:59:59.999Z") }),
      ]),
    )

    promise(
      "keeps the same text twice, for one account or for two",
      keepsExactly([newMessage("one"), newMessage("two"), newMessage("three", { accountId: owners[1] })]),
    )

    promise(
      "keeps a thousand messages that arrive at once",
      keepsExactly(Array.from({ length: 1000 }, (_, index) => newMessage(String(index), { message: `Message ${index}` }))),
    )
  })
}
