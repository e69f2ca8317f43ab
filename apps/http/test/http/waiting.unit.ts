import type { ApiKey } from "@petstore/core"
import { Option } from "effect"
import { afterEach, expect, it, vi } from "vitest"
import { readResponse } from "../../src/http/response/read-response.js"
import { createWaiting } from "../../src/http/waiting.js"
import { exchangeOf } from "./exchange-of.js"

const none = Option.none()
const key: ApiKey = {
  ...{ id: "key_1", accountId: "acc_1", deployment: "development", createdAt: new Date(0), readOnly: false },
  ...{ expiresAt: none, revokedAt: none, lastUsedOn: none, label: none },
}

const page = { answer: readResponse("[]", undefined, "[]"), isSettled: false, isEmpty: true }

afterEach(() => void vi.useRealTimers())

/** A store whose state takes 500 ms, with the number of times that it was asked. */
const open = () => {
  vi.useFakeTimers()
  let looks = 0
  const latest = async () => {
    looks += 1
    await new Promise((resolve) => setTimeout(resolve, 500))
    return "nothing new"
  }
  const parts = { authenticator: () => {}, sendRead: () => {}, isStopping: () => false }
  return { waiting: createWaiting({ ...parts, latest, waitingLimit: 9 }), looks: () => looks }
}

it("a write is looked for at once, although the last look waited long for the database", async () => {
  const { waiting, looks } = open()
  const { exchange } = exchangeOf()
  exchange.apiKey = key
  waiting.hold(exchange, 30, page, async () => page)
  await vi.advanceTimersByTimeAsync(1_500)
  expect(looks()).toBe(1)
  waiting.lookSoon()
  await vi.advanceTimersByTimeAsync(10)
  expect(looks()).toBe(2)
  waiting.endAll()
})

it("requests that come together ask the store for its state twice at most, and a later one asks again", async () => {
  const { waiting, looks } = open()
  const hold = () => {
    const { exchange } = exchangeOf()
    exchange.apiKey = key
    waiting.hold(exchange, 30, page, async () => page)
  }
  for (let count = 0; count < 5; count += 1) hold()
  expect(looks()).toBe(1)
  await vi.advanceTimersByTimeAsync(1_500)
  expect(looks()).toBe(2)
  hold()
  await vi.advanceTimersByTimeAsync(10)
  expect(looks()).toBe(3)
  waiting.endAll()
})
