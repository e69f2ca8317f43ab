/** Tests which requests need a key, and how long an accepted key is cached. */
import type { ApiKey } from "@petstore/core"
import { Option } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { authenticate, createAuthenticator } from "../../../src/http/steps/authenticate.js"
import { exchangeOf, through } from "../exchange-of.js"

afterEach(() => void vi.useRealTimers())

const apiKey = (expiresAt: Option.Option<Date> = Option.none()): ApiKey => ({
  id: "key_1",
  accountId: "acc_1",
  deployment: "development",
  createdAt: new Date(0),
  expiresAt,
  lastUsedOn: Option.none(),
  label: Option.none(),
  readOnly: false,
  revokedAt: Option.none(),
})

/** A store that accepts every key and counts the lookups. */
const start = (key = apiKey()) => {
  let asked = 0
  const step = authenticate(
    createAuthenticator(() => {
      asked += 1
      // A promise, so that a lookup is not `atOnce`. Safe: the authenticator runs only the use case that returns a key.
      return Promise.resolve(key) as never
    }, "development"),
  )
  const socket = exchangeOf().exchange.req.socket
  const call = async (authorization = "Bearer one", connection = socket) => {
    const { exchange } = exchangeOf({ headers: { authorization }, resource: { credential: true } })
    Object.assign(exchange.req, { socket: connection })
    const { passed, result } = through(step, exchange)
    await result
    return { atOnce: passed, key: exchange.apiKey }
  }
  return { step, call, asked: () => asked }
}

describe("a request's credential", () => {
  it("is not required outside the base URL", () => {
    const { step, asked } = start()
    const { exchange } = exchangeOf({ resource: { credential: false } })
    expect([through(step, exchange).passed, exchange.apiKey, asked()]).toEqual([true, undefined, 0])
  })

  it("is looked up once, and then cached for two seconds across connections", async () => {
    vi.useFakeTimers({ toFake: ["performance", "Date"] })
    const { call, asked } = start()
    expect(await call()).toMatchObject({ atOnce: false, key: { id: "key_1" } })
    expect(await call()).toMatchObject({ atOnce: true, key: { id: "key_1" } })
    expect(await call("Bearer one", exchangeOf().exchange.req.socket)).toMatchObject({ atOnce: true })
    vi.advanceTimersByTime(1_999)
    expect(await call()).toMatchObject({ atOnce: true })
    vi.advanceTimersByTime(1)
    expect(await call()).toMatchObject({ atOnce: false })
    expect(asked()).toBe(2)
  })

  it("is looked up once for requests that come together, unless the lookup takes as long as a key is cached", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    const { call, asked } = start()
    const together = [call(), call("Bearer one", exchangeOf().exchange.req.socket), call("Bearer two")]
    expect(asked()).toBe(2)
    vi.advanceTimersByTime(2_000)
    await Promise.all([...together, call()])
    expect(asked()).toBe(3)
  })

  it("gets the same failure for requests that come together, and is then looked up again", async () => {
    let asked = 0
    const find = createAuthenticator(() => {
      asked += 1
      return Promise.reject(new Error(`lookup ${asked}`))
    }, "development")
    const ask = () => Promise.resolve(find(exchangeOf({ headers: { authorization: "Bearer one" } }).exchange))
    const [one, other] = [ask(), ask()]
    await expect(one).rejects.toThrow("lookup 1")
    await expect(other).rejects.toThrow("lookup 1")
    await expect(ask()).rejects.toThrow("lookup 2")
  })

  it("applies to its own request, not to the connection", async () => {
    const { call, asked } = start()
    await call("Bearer one")
    await call("Bearer one")
    expect(await call("Bearer two")).toMatchObject({ atOnce: false })
    expect(await call("Bearer one")).toMatchObject({ atOnce: true })
    expect(asked()).toBe(2)
  })

  it("is looked up again once it has expired", async () => {
    vi.useFakeTimers({ toFake: ["performance", "Date"] })
    const { call } = start(apiKey(Option.some(new Date(Date.now() + 1_000))))
    await call()
    vi.advanceTimersByTime(999)
    expect(await call()).toMatchObject({ atOnce: true })
    vi.advanceTimersByTime(1)
    expect(await call()).toMatchObject({ atOnce: false })
  })
})
