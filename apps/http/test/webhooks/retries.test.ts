/** What a deliverer does when an endpoint fails: with real receivers, and a clock that the test sets. */
import { ChangeRepository, createPet, PetRepository, StorageUnavailable, type Webhook, WebhookRepository } from "@petstore/core"
import { storage } from "@petstore/storage"
import { Context, Effect, Layer, ManagedRuntime, Option } from "effect"
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest"
import { deliverWebhooks } from "../../src/webhooks/deliverer.js"
import { accept, openReceiver } from "./receiver.js"

const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** Each pause, with the longest jitter. */
const pauses = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour].map(
  (pause) => pause * 1.11,
)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (millis: number): void => void vi.setSystemTime(Date.now() + millis)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

/** A store in memory, whose webhooks are delivered until the test ends. It takes no writes of webhooks while it is full. */
const openStore = async (isFull: () => boolean = () => false) => {
  const layer = Layer.map(storage("memory:", { migrate: true }), (context) => {
    const { replace, ...others } = Context.get(context, WebhookRepository)
    const full = new StorageUnavailable({ cause: new Error("database or disk is full") })
    const replaceIfRoom: typeof replace = (...args) => (isFull() ? full : replace(...args))
    return Context.add(context, WebhookRepository, { ...others, replace: replaceIfRoom })
  })
  const runtime = ManagedRuntime.make(layer)
  let looks = 0
  const [log, outcomes]: [Array<string>, Array<string>] = [[], []]
  const options = {
    rules: { deployment: "development", webhookNetworks: [] },
    isAlone: true,
    log: (sentence: string) => void log.push(sentence),
    count: (outcome: string) => void outcomes.push(outcome),
    onWebhooks: () => {
      looks += 1
    },
    lookMillis: 5,
  } as const
  const stop = new AbortController()
  const done = runtime.runPromiseExit(Effect.scoped(Effect.zipRight(deliverWebhooks(options), Effect.never)), {
    signal: stop.signal,
  })
  onTestFinished(async () => {
    stop.abort()
    await done
    await runtime.dispose()
  })
  const repository = await runtime.runPromise(WebhookRepository)
  const list = (): Promise<ReadonlyArray<Webhook>> => runtime.runPromise(repository.list)
  const only = async (): Promise<Webhook> => {
    const [webhook] = await list()
    if (webhook === undefined) throw new Error("no webhook")
    return webhook
  }
  return {
    log,
    outcomes,
    only,
    looks: () => looks,
    run: runtime.runPromise,
    repository,
    add: (url: string, settings: Partial<Webhook["settings"]> = {}, id = "wh_1") =>
      runtime.runPromise(
        repository.insert({
          id,
          settings: { url, operations: [], secret, createdAtMillis: Date.now(), ...settings },
          progress: { last: 0 },
          version: 1,
        }),
      ),
    create: (...names: ReadonlyArray<string>) =>
      runtime.runPromise(Effect.forEach(names, (name) => createPet({ name, categoryId: 1n }))),
    deliveries: () => runtime.runPromise(repository.deliveries("wh_1")),
    /** How often the oldest change was tried. */
    tries: async () => (await runtime.runPromise(repository.deliveries("wh_1"))).at(-1)?.tries ?? 0,
  }
}

const receives = (receiver: Awaited<ReturnType<typeof openReceiver>>, ...names: ReadonlyArray<string>) =>
  expect.poll(receiver.names, { interval: 5 }).toStrictEqual(names)

it("a change holds up later ones through five tries, is then put aside, and goes on alone", async () => {
  const receiver = await openReceiver()
  receiver.respondWith((response, { name }) => void response.writeHead(name === "bad" ? 500 : 204).end())
  const store = await openStore()
  await store.add(receiver.url)
  await store.create("bad", "a", "b")
  for (const [index, pause] of pauses.slice(0, 4).entries()) {
    await receives(receiver, ...Array.from({ length: index + 1 }, () => "bad"))
    await expect.poll(store.tries).toBe(index + 1)
    pass(pause / 2)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(receiver.received).toHaveLength(index + 1)
    pass(pause / 2)
  }
  const five = Array.from({ length: 5 }, () => "bad")
  await receives(receiver, ...five, "a", "b")
  await expect
    .poll(async () => (await store.deliveries()).map(({ tries, status }) => [tries, status]))
    .toStrictEqual([
      [1, 204],
      [1, 204],
      [5, 500],
    ])
  receiver.respondWith(accept)
  pass(pauses[4] ?? 0)
  await receives(receiver, ...five, "a", "b", "bad")
  expect(new Set(receiver.received.filter(({ name }) => name === "bad").map(({ id }) => id)).size).toBe(1)
  await expect.poll(async () => (await store.deliveries()).at(-1)).toMatchObject({ tries: 6, status: 204 })
  expect((await store.deliveries()).at(-1)?.nextAtMillis).toBeUndefined()
})

it("a change that was put aside is given up after ten tries, and can be delivered again", async () => {
  const receiver = await openReceiver()
  receiver.respondWith((response, { name }) => void response.writeHead(name === "bad" ? 500 : 204).end())
  const store = await openStore()
  await store.add(receiver.url)
  await store.create("bad", "good")
  const tried = () => receiver.names().filter((name) => name === "bad").length
  for (const [index, pause] of pauses.entries()) {
    await expect.poll(tried).toBe(index + 1)
    await expect.poll(store.tries).toBe(index + 1)
    pass(pause)
  }
  await expect.poll(() => store.outcomes.filter((outcome) => outcome === "given_up")).toHaveLength(1)
  await expect.poll(() => store.log).toStrictEqual([expect.stringContaining("in 10 tries")])
  pass(100 * hour)
  const givenUp = (await store.deliveries()).at(-1)
  if (givenUp === undefined) throw new Error("no delivery")
  receiver.respondWith(accept)
  const webhook = await store.only()
  expect(await store.run(store.repository.replace(webhook, webhook, [{ ...givenUp, nextAtMillis: Date.now() }]))).toBe(true)
  await expect.poll(tried).toBe(11)
})

it("an endpoint that took nothing for days gets everything in order", async () => {
  const receiver = await openReceiver()
  receiver.respondWith((response) => void response.writeHead(503).end())
  const store = await openStore()
  await store.add(receiver.url)
  const names = Array.from({ length: 12 }, (_, index) => `pet ${index}`)
  await store.create(...names)
  for (const [index, pause] of pauses.slice(0, 7).entries()) {
    await expect.poll(store.tries).toBe(index + 1)
    pass(pause)
  }
  await expect.poll(store.tries).toBe(8)
  const before = receiver.received.length
  receiver.respondWith(accept)
  pass(pauses[7] ?? 0)
  await expect.poll(() => receiver.names().slice(before)).toStrictEqual(names)
})

it("a webhook is disabled after five days without a success, and goes on where it stopped", async () => {
  const receiver = await openReceiver()
  receiver.respondWith((response) => void response.writeHead(500).end())
  const store = await openStore()
  await store.add(receiver.url)
  await store.create("a", "b")
  for (let day = 0; day < 30 && (await store.only()).disabled === undefined; day += 1) {
    await expect.poll(store.tries).toBe(day + 1)
    pass(27 * hour)
  }
  expect(await store.only()).toMatchObject({ disabled: "failing" })
  expect(store.log).toStrictEqual([expect.stringContaining("is disabled, because its endpoint has taken nothing for five days")])
  receiver.respondWith(accept)
  const before = receiver.received.length
  const seen = await store.only()
  const { disabled: _, holder: __, progress, ...webhook } = seen
  const { place, last, heldUpBy } = progress
  const waiting = (await store.deliveries()).map((delivery) => ({ ...delivery, nextAtMillis: Date.now() }))
  await store.run(store.repository.replace(seen, { ...webhook, progress: { place, last, heldUpBy } }, waiting))
  await expect.poll(() => receiver.names().slice(before)).toStrictEqual(["a", "b"])
})

it("a change whose outcome cannot be stored is not sent again until the store takes writes", async () => {
  const receiver = await openReceiver()
  let isFull = false
  receiver.respondWith((response) => {
    isFull = true
    response.writeHead(204).end()
  })
  const store = await openStore(() => isFull)
  await store.add(receiver.url)
  await store.create("a")
  await receives(receiver, "a")
  const looks = store.looks()
  await expect.poll(store.looks).toBeGreaterThan(looks + 20)
  expect(receiver.received).toHaveLength(1)
  receiver.respondWith(accept)
  isFull = false
  await receives(receiver, "a", "a")
})

it("a response 410 disables a webhook", async () => {
  const receiver = await openReceiver()
  receiver.respondWith((response) => void response.writeHead(410).end())
  const store = await openStore()
  await store.add(receiver.url)
  await store.create("a")
  await expect.poll(async () => (await store.only()).disabled).toBe("gone")
  expect(receiver.received).toHaveLength(1)
})

it("the log says once that an address must not be reached, and by which setting it may be", async () => {
  const store = await openStore()
  await store.add("https://10.0.0.1/")
  await store.create("a")
  await expect.poll(store.tries).toBe(1)
  pass(hour)
  await expect.poll(store.tries).toBe(2)
  expect(store.log).toStrictEqual([
    "Webhook wh_1 fails: its host has the address 10.0.0.1, which is not public: WEBHOOK_NETWORKS may allow it.",
  ])
})

it("a pause that the endpoint asks for is kept", async () => {
  const receiver = await openReceiver()
  receiver.respondWith((response, _, count) => void response.writeHead(count === 1 ? 429 : 204, { "retry-after": "600" }).end())
  const store = await openStore()
  await store.add(receiver.url)
  await store.create("a")
  await expect.poll(store.tries).toBe(1)
  pass(599 * second)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(receiver.received).toHaveLength(1)
  pass(2 * second)
  await receives(receiver, "a", "a")
})

it("an endpoint that responds late delays no other, and a webhook gets only the operations that it wants", async () => {
  const [slow, quick, filtered] = [await openReceiver(), await openReceiver(), await openReceiver()]
  slow.respondWith(() => {})
  const store = await openStore()
  await store.add(slow.url, {}, "wh_slow")
  await store.add(quick.url, {}, "wh_quick")
  await store.add(filtered.url, { operations: ["removePet"] }, "wh_filtered")
  const names = Array.from({ length: 150 }, (_, index) => `pet ${index}`)
  const created = await store.create(...names)
  await receives(quick, ...names)
  const [, , third] = created
  if (third === undefined) throw new Error("no pet")
  await store.run(Effect.flatMap(PetRepository, (pets) => pets.remove(third)))
  await receives(filtered, "pet 2")
  expect(slow.names()).toStrictEqual(["pet 0"])
})

it("after a rotation, both secrets sign for a day", async () => {
  const receiver = await openReceiver()
  const store = await openStore()
  await store.add(receiver.url, { former: { secret: "whsec_AAAA", untilMillis: Date.now() + 24 * hour } })
  await store.create("a")
  await receives(receiver, "a")
  pass(24 * hour + 1)
  await store.create("b")
  await receives(receiver, "a", "b")
  const signatures = receiver.received.map(({ headers }) => String(headers["webhook-signature"]).split(" ").length)
  expect(signatures).toStrictEqual([2, 1])
})

it("a webhook whose changes were removed is disabled", async () => {
  const receiver = await openReceiver()
  const store = await openStore()
  await store.create("a", "b")
  const changes = await store.run(ChangeRepository)
  const { next } = await store.run(changes.list({ order: "asc", after: Option.none(), limit: 1 }))
  await store.run(changes.removeBefore(new Date(Date.now() + hour), 10))
  await store.run(
    store.repository.insert({
      id: "wh_1",
      settings: { url: receiver.url, operations: [], secret, createdAtMillis: 0 },
      progress: { place: next, last: 0 },
      version: 1,
    }),
  )
  await expect.poll(async () => (await store.only()).disabled).toBe("expired")
  expect((await store.only()).progress.place).toBeUndefined()
})
