import type { ApiKey } from "@petstore/core"
import { Option } from "effect"
import { afterEach, expect, it, vi } from "vitest"
import { readResponse } from "../../src/http/response/read-response.js"
import { Waiting } from "../../src/http/waiting.js"
import { exchangeOf } from "./exchange-of.js"

const none = Option.none()
const key: ApiKey = {
  ...{ id: "key_1", accountId: "acc_1", deployment: "development", createdAt: new Date(0), readOnly: false },
  ...{ expiresAt: none, revokedAt: none, lastUsedOn: none, label: none },
}

const page = { answer: readResponse("[]", undefined, "[]"), isEmpty: true }

afterEach(() => void vi.useRealTimers())

it("a write is looked for at once, although the last look waited long for the database", async () => {
  vi.useFakeTimers()
  let looks = 0
  const latest = async () => {
    looks += 1
    await new Promise((resolve) => setTimeout(resolve, 500))
    return "nothing new"
  }
  const parts = { authenticator: () => {}, sendRead: () => {}, isStopping: () => false }
  const waiting = new Waiting({ ...parts, latest, waitingLimit: 1 })
  const { exchange } = exchangeOf()
  exchange.apiKey = key
  waiting.hold(exchange, 30, "nothing new", page, async () => page)
  await vi.advanceTimersByTimeAsync(1_500)
  expect(looks).toBe(1)
  waiting.lookSoon()
  await vi.advanceTimersByTimeAsync(10)
  expect(looks).toBe(2)
  waiting.endAll()
})
