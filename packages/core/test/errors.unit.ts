/** Every failure has a `message`, for code that catches a failure without knowing its type. */
import { Effect, Logger } from "effect"
import { expect, it } from "vitest"
import * as errors from "../src/errors.js"

const failures = [
  new errors.CredentialRejected({ reason: "unknown" }),
  new errors.PetNotFound({ petId: 7n }),
  new errors.StorageUnavailable({ cause: undefined }),
  new errors.PetNotAvailable({ petId: 7n, status: "sold" }),
  new errors.PetReserved({ petId: 7n }),
  new errors.PetChanged({ petId: 7n }),
  new errors.OrderNotFound({ orderId: 7n }),
  new errors.OrderClosed({ orderId: 7n, status: "completed" }),
  new errors.CategoryNotFound({ categoryId: 7n }),
  new errors.PreconditionFailed(),
  new errors.OrderNotCompleted({ orderId: 7n, status: "placed" }),
  new errors.SoldPetChanged({ orderId: 7n, petId: 8n }),
  new errors.CursorExpired(),
  new errors.TooManyWaiting({ of: "service", limit: 2000 }),
  new errors.IdempotencyKeyReused({ key: "a-1" }),
  new errors.AccountNameTaken({ name: "shop" }),
  new errors.AccountNotFound({ name: "shop" }),
  new errors.DeploymentMismatch({ kept: "staging", ours: "production" }),
  new errors.ApiKeyInactive({ keyId: "key_1" }),
  new errors.ApiKeyChanged({ keyId: "key_1" }),
  new errors.ApiKeyNotFound({ keyId: "key_1" }),
  new errors.ApiKeyReadOnly(),
]

it.each(failures)("the message of $_tag is a sentence", ({ message }) => {
  expect(message).toMatch(/^[A-Z].*\.$/)
})

it("loggers write a failure's message, its identifiers as decimal text, and even a cause that JSON cannot represent", () => {
  const written: Array<unknown> = []
  const take = (entry: unknown) => void written.push(entry)
  for (const logger of [Logger.map(Logger.jsonLogger, take), Logger.map(Logger.structuredLogger, take)]) {
    const taking = Logger.replace(Logger.defaultLogger, logger)
    const cause = Object.assign(new TypeError("refused"), { self: 7n })
    const log = Effect.logError(new errors.PetNotFound({ petId: 7n }), new errors.StorageUnavailable({ cause }))
    Effect.runSync(Effect.provide(log, taking))
  }
  const message = [
    { _tag: "PetNotFound", petId: "7", message: "No pet has the identifier 7." },
    { _tag: "StorageUnavailable", cause: "TypeError: refused", message: "The database is unavailable. Try again." },
  ]
  expect(JSON.parse(String(written[0]))).toMatchObject({ message })
  expect(written[1]).toMatchObject({ message })
})

it("messages say that an identifier is a number or a string, as callers of an HTTP API understand it", () => {
  // @ts-expect-error: an identifier is a bigint
  expect(new errors.PetNotFound({ petId: 1 }).message).toBe("No pet has the identifier 1, a number instead of a 64-bit integer.")
  expect(new errors.PetNotFound({ petId: "1" }).message).toBe(
    'No pet has the identifier "1", a string instead of a 64-bit integer.',
  )
  expect(new errors.PetNotFound({ petId: "01" }).message).toBe('No pet has the identifier "01".')
})

it("this file tests every failure", () => {
  expect(failures.map(({ _tag }) => _tag).sort()).toStrictEqual(Object.keys(errors).sort())
})
