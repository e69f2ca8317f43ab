/** Tests the rules for a message, and the table in every kind of store. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createAccount, createApiKey, InvalidBody } from "@petstore/core"
import { AppDatabase, nodeCryptography, storage } from "@petstore/storage"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { Effect, Either, Layer } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { decodeNewMessage, messageMaximum, messageTable, queueMessage } from "../src/messages.js"

const expected = "expected a string of 1 to 16384 code points, not blank, without U+0000 and lone surrogates"

describe("decodeNewMessage", () => {
  it("reads a message exactly as given and ignores the rest of the body", () => {
    expect(decodeNewMessage({ message: " Hello\n", id: "x" })).toStrictEqual(Either.right({ message: " Hello\n" }))
  })

  it.each([
    [{}, { field: "message", expected: "is required", received: "nothing" }],
    [{ message: "" }, { field: "message", expected, received: '""' }],
    [{ message: null }, { field: "message", expected, received: "null" }],
    [{ message: 7 }, { field: "message", expected, received: "7" }],
    [{ message: "a".repeat(16_385) }, { field: "message", expected, received: `"${"a".repeat(60)}…"` }],
    [[], { field: "body", expected: "expected a JSON object", received: "an array" }],
    [null, { field: "body", expected: "expected a JSON object", received: "null" }],
  ])("refuses an invalid body and reports what is wrong: case %#", (json, problem) => {
    expect(decodeNewMessage(json)).toStrictEqual(Either.left(new InvalidBody({ problems: [problem] })))
  })
})

const texts = [
  ...["é", "e\u0301", " spaces ", "'; DROP TABLE messages; --", "\u2028\r\n\t", "🐕‍🦺", "$1 ?", "🐕".repeat(messageMaximum)],
  ...Array.from({ length: 1000 }, () => "the same text"),
]

const kept = Effect.flatMap(AppDatabase, ({ read }) =>
  read("SELECT id, account_id, message, CAST(created_at AS text) FROM messages ORDER BY id", []),
)

const fill = Effect.gen(function* () {
  yield* createAccount("shop")
  const { apiKey } = yield* createApiKey({ accountName: "shop", deployment: "development" })
  const queued = yield* Effect.forEach(texts, (text) => queueMessage(text, apiKey), { concurrency: "unbounded" })
  return queued
    .map(({ id, message, createdAt }) => [id, apiKey.accountId, message, String(createdAt.getTime())])
    .toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1))
})

const folder = mkdtempSync(join(tmpdir(), "petstore-messages-"))
afterAll(() => rmSync(folder, { recursive: true }))

describe.each(["memory:", "sqlite::memory:", "sqlite:a.db", "sqljs:b.db", "postgres:"])("the message table in %s", (name) => {
  it("stores every message exactly as given, even if a thousand arrive at once", async () => {
    const url = name === "postgres:" ? await newPostgresDatabase() : name.replace(/(?=[ab]\.db)/, `${folder}/`)
    // Other tests may slow the machine down.
    const postgres = { statementTimeoutMillis: 20_000 }
    const store = Layer.merge(storage(url, { migrate: true, appTables: [messageTable], postgres }), nodeCryptography)
    const [given, found] = await Effect.runPromise(Effect.provide(Effect.all([fill, kept]), store))
    expect(found).toStrictEqual(given)
  })
})
