/** Requests that wait for changes (sentences 16.30 to 16.35). */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { createKey, type Environment, environmentIn, environmentOf, petstore } from "@petstore/harness/command"
import { expectError, expectStatus } from "@petstore/harness/expectations"
import { Http } from "@petstore/harness/http"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"

/** How long it takes at most until a request waits, and until what ends it shows, on a busy machine. */
const startMillis = 400
const longMillis = 8_000

/** A service on a store in a file, and functions that make further keys. */
const open = async (settings: Environment = {}) => {
  const folder = temporaryFolder()
  const environment = environmentIn(folder, { LOG_LEVEL: "silent", ...settings })
  await petstore(environment, "accounts", "create", "shop")
  const { id, key } = await createKey(environment, "shop")
  const service = await serve(environment)
  const http = new Http(new URL(service.baseUrl), key)
  const otherKey = async () => http.withKey((await createKey(environment, "shop")).key)
  return { folder, environment, service, http, keyId: id, otherKey }
}

const create = (http: Http) => http.post('{"name":"Bello","categoryId":1}')

/** The target behind every change so far, for a request that waits. */
const behindAll = async (http: Http, seconds = 30, more = ""): Promise<string> =>
  `${(await http.get(`/changes?order=desc&limit=1${more}`)).link("monitor")}&wait=${seconds}`

/** Starts requests that wait. Fails if one of them is answered at once. */
const startWaiting = async (http: Http, count: number, target: string) => {
  let answered = 0
  const send = async () => {
    const response = await http.sendOnce({ target })
    answered += 1
    return response
  }
  const responses = Promise.all(Array.from({ length: count }, send))
  await sleep(startMillis)
  expect(answered).toBe(0)
  return { responses }
}

const timed = async <A>(work: Promise<A>): Promise<readonly [A, number]> => {
  const begun = performance.now()
  const value = await work
  return [value, performance.now() - begun]
}

it("a request that waits gets the change that another request makes, whichever key it has", async () => {
  const { http, otherKey } = await open()
  const target = await behindAll(http)
  const callers = [http, await otherKey(), await otherKey()]
  const waiting = await Promise.all(callers.map((caller) => startWaiting(caller, 10, target)))
  const made: unknown = expectStatus(await create(http), 201).json
  for (const { responses } of waiting) {
    for (const response of await responses) {
      expect(response.json).toEqual([expect.objectContaining({ operation: "createPet", after: { pet: made } })])
      expect(response.link("next")).toContain("&wait=30&cursor=")
    }
  }
})

it("a request that waits gets what a command and SQL by hand change, in another process", async () => {
  const { http, folder, environment } = await open()
  const first = await startWaiting(http, 2, await behindAll(http))
  writeFileSync(join(folder, "pets.csv"), "name,categoryId\nAda,1\n")
  await petstore(environment, "import", join(folder, "pets.csv"))
  for (const { json } of await first.responses) {
    expect(json).toEqual([expect.objectContaining({ operation: "createPet", by: { command: "import" } })])
  }
  const second = await startWaiting(http, 2, await behindAll(http))
  const database = new DatabaseSync(join(folder, "petstore.db"), { timeout: 60_000 })
  database.exec("DELETE FROM pets WHERE name = 'Ada'")
  database.close()
  const [responses, millis] = await timed(second.responses)
  expect(millis).toBeLessThan(longMillis)
  for (const { json } of responses) expect(json).toEqual([expect.objectContaining({ operation: "removePet" })])
})

it("requests that wait at two services on one PostgreSQL database get each change, whichever service makes it", async () => {
  const environment = environmentOf({ DATABASE_URL: await newPostgresDatabase(), PETSTORE_ENV: "staging", LOG_LEVEL: "silent" })
  await petstore(environment, "accounts", "create", "shop")
  const { key } = await createKey(environment, "shop")
  const [one, other] = [await serve(environment), await serve(environment)].map(
    ({ baseUrl }) => new Http(new URL(baseUrl), key),
  ) as [Http, Http] // `map` forgets the length
  let target = await behindAll(one)
  for (const maker of [one, other]) {
    const waiting = [await startWaiting(one, 2, target), await startWaiting(other, 2, target)]
    const made: unknown = expectStatus(await create(maker), 201).json
    const [responses, millis] = await timed(Promise.all(waiting.map((each) => each.responses)))
    expect(millis).toBeLessThan(longMillis)
    const changes = responses.flat().map(({ json }) => json)
    expect(changes[0]).toEqual([expect.objectContaining({ operation: "createPet", after: { pet: made } })])
    expect(changes).toEqual(Array.from({ length: 4 }, () => changes[0]))
    target = `${responses.flat()[0]?.link("next")}`
    expect(target).toContain("&wait=30&cursor=")
  }
})

it("a request that waits for one pet is not answered by changes of others", async () => {
  const { http } = await open()
  const { id } = expectStatus(await create(http), 201).json as { readonly id: bigint }
  const { responses } = await startWaiting(http, 1, await behindAll(http, 30, `&petId=${id}`))
  for (let count = 0; count < 5; count += 1) await create(http)
  expect(await Promise.race([responses, sleep(1_500, "waiting")])).toBe("waiting")
  expectStatus(await http.send({ method: "DELETE", path: `/pets/${id}` }), 204)
  expect((await responses)[0]?.json).toEqual([expect.objectContaining({ operation: "removePet" })])
})

it("a request that nothing happens for is 200 with an empty page when its time is over", async () => {
  const { http } = await open({ REQUEST_MS: "300", HEAD_MS: "300", READ_MS: "300", KEEP_ALIVE_MS: "300" })
  const { responses } = await startWaiting(http, 1, await behindAll(http, 2))
  const [[response], millis] = await timed(responses)
  expect(millis).toBeGreaterThan(1_000)
  expect([response?.status, response?.json]).toEqual([200, []])
  expect(response?.link("next")).toContain("&wait=2&cursor=")
  const now = await timed(http.get("/changes?wait=0"))
  expect([now[0].json, now[1] < 1_000]).toEqual([[], true])
})

it("10 requests of a key and WAITING_LIMIT requests of the process may wait, and a place is free again at once", async () => {
  const { http, otherKey } = await open({ WAITING_LIMIT: "12" })
  const target = await behindAll(http)
  const other = await otherKey()
  const mine = await startWaiting(http, 10, target)
  const theirs = await startWaiting(other, 2, target)
  const refused = await http.sendOnce({ target })
  expect(expectError(refused, "too_many_waiting")).toContain("10 requests of this API key")
  expect(refused.header("retry-after")).toBe("30")
  expect(expectError(await other.sendOnce({ target }), "too_many_waiting")).toContain("12 requests in this process")
  expect((await http.get("/changes")).json).toEqual([])
  await create(http)
  await Promise.all([mine.responses, theirs.responses])
  const again = await startWaiting(http, 10, await behindAll(http, 1))
  for (const { json } of await again.responses) expect(json).toEqual([])
})

it("clients that leave make room for others, and one that only ends its side gets its response", async () => {
  const { http } = await open()
  const target = await behindAll(http)
  const connections = await Promise.all(Array.from({ length: 10 }, () => http.open()))
  for (const connection of connections) connection.write(http.encode({ target }))
  await sleep(startMillis)
  expectError(await http.sendOnce({ target }), "too_many_waiting")
  for (const connection of connections.slice(1)) connection.destroy()
  await expect.poll(async () => (await http.sendOnce({ target: target.replace("wait=30", "wait=1") })).status).toBe(200)
  const [last] = connections
  last?.finish()
  const response = await last?.read()
  expect([response?.status, response?.json]).toEqual([200, []])
  const { responses } = await startWaiting(http, 10, target)
  await create(http)
  await responses
})

it("a key that is revoked meanwhile ends its requests with 401 within 5 s, and no others", async () => {
  const { http, environment, keyId, otherKey } = await open()
  const target = await behindAll(http)
  const other = await startWaiting(await otherKey(), 2, target)
  const { responses } = await startWaiting(http, 3, target)
  await petstore(environment, "keys", "revoke", keyId)
  const [ended, millis] = await timed(responses)
  expect(millis).toBeLessThan(longMillis)
  for (const response of ended) expectError(response, "invalid_credential")
  expect(await Promise.race([other.responses, sleep(1_000, "waiting")])).toBe("waiting")
})

it("a process that stops answers the requests that wait at once, with empty pages", async () => {
  const { http, service } = await open()
  const { responses } = await startWaiting(http, 5, await behindAll(http))
  const stopped = service.stop()
  const [all, millis] = await timed(responses)
  expect(millis).toBeLessThan(3_000)
  for (const { status, json } of all) expect([status, json]).toEqual([200, []])
  expect(await stopped).toBe(0)
})

it("requests that wait count once for the rate limit, and take no memory that others need", async () => {
  const { http, otherKey } = await open({ RATE_LIMIT: "30", PROCESS_BUDGET_BYTES: "1048576" })
  for (let count = 0; count < 5; count += 1) expectStatus(await http.get("/changes?limit=100"), 200)
  const target = await behindAll(http, 3)
  const callers = await Promise.all(Array.from({ length: 8 }, otherKey))
  const waiting = await Promise.all(callers.map((caller) => startWaiting(caller, 10, target)))
  expectStatus(await http.get("/pets?limit=100"), 200)
  for (const { responses } of waiting) {
    for (const { status, header } of (await responses).map((each) => ({
      status: each.status,
      header: each.header("ratelimit"),
    }))) {
      expect([status, header]).toEqual([200, expect.stringMatching(/^"key";r=2\d;/)])
    }
  }
})
