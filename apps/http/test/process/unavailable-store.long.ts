/** A service whose database is unavailable when it starts, or becomes unavailable while it is restarted. */
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { createKey, type Environment, environmentOf, petstore, run } from "@petstore/harness/command"
import { openProxy } from "@petstore/harness/proxy"
import { Service } from "@petstore/harness/serving"
import { newPostgresServer } from "@petstore/test/postgres"
import { expect, it, onTestFinished } from "vitest"

const stagingOn = (url: string): Environment =>
  environmentOf({ DATABASE_URL: url, PETSTORE_ENV: "staging", LOG_LEVEL: "silent", SHUTDOWN_MS: "2000" })

const waiting = /Requests to (http:\S+) get 503/

/** Starts a service whose database is unavailable, and returns it with its URL. */
const startWaiting = async (environment: Environment) => {
  const service = new Service(environment, {})
  onTestFinished(() => service.kill())
  await service.until(() => waiting.test(service.stderr), "a line about the unavailable store")
  return { service, baseUrl: waiting.exec(service.stderr)?.[1] ?? "" }
}

const statusesOf = async (baseUrl: string, key = "none"): Promise<ReadonlyArray<number>> => {
  const headers = { authorization: `Bearer ${key}` }
  const paths = ["/healthz", "/readyz", "/v1/pets"]
  return Promise.all(paths.map(async (path) => (await fetch(new URL(path, baseUrl), { headers })).status))
}

const wrongPassword = (url: string): string => {
  const wrong = new URL(url)
  wrong.password = "wrong"
  return wrong.href
}

it("a service listens while its database is unavailable, and serves once the database responds, also after a kill", async () => {
  const server = await newPostgresServer()
  const environment = stagingOn(server.url)
  await petstore(environment, "accounts", "create", "caller")
  const { key } = await createKey(environment, "caller")
  await server.kill()

  const { service, baseUrl } = await startWaiting(environment)
  expect(await statusesOf(baseUrl, key)).toEqual([200, 503, 503])
  expect(await run(environment, "serve", "--check")).toMatchObject({
    exitCode: 75,
    stderr: expect.stringContaining("ECONNREFUSED"),
  })
  expect(service.isRunning).toBe(true)

  await server.start()
  await service.until(() => service.printed().includes(" is served at "), "the address")
  expect(service.baseUrl).toBe(baseUrl)
  expect(await statusesOf(baseUrl, key)).toEqual([200, 200, 200])
  // A starting PostgreSQL server gives a reason of its own. Each reason is reported once, however often the service tries.
  const reports = service.stderr.match(/.*get 503.*/g) ?? []
  expect(reports).toEqual([...new Set(reports)])
  expect(await run(environment, "serve", "--check")).toMatchObject({ exitCode: 0 })

  await server.kill()
  await service.kill()
  const next = await startWaiting(environment)
  expect(await statusesOf(next.baseUrl, key)).toEqual([200, 503, 503])
  await server.start()
  await expect.poll(() => statusesOf(next.baseUrl, key)).toEqual([200, 200, 200])
  expect(await next.service.stop()).toBe(0)
  await server.kill()
})

it("a service whose database refuses the password ends with a message, at once or as soon as the database responds", async () => {
  const server = await newPostgresServer()
  const environment = stagingOn(wrongPassword(server.url))
  const refused = { exitCode: 1, stderr: expect.stringContaining("password authentication failed") }
  expect(await run(environment, "serve")).toMatchObject(refused)
  expect(await run(environment, "serve", "--check")).toMatchObject(refused)

  await server.kill()
  const { service } = await startWaiting(environment)
  await server.start()
  expect(await service.ended).toEqual({ code: 1, signal: null })
  expect(service.stderr).toContain("password authentication failed")
  await server.kill()
})

it("a service that waits for its database stops at the first signal", async () => {
  const { service, baseUrl } = await startWaiting(stagingOn("postgres://petstore:x@127.0.0.1:1/petstore"))
  expect(await statusesOf(baseUrl)).toEqual([200, 503, 401])
  expect(await service.stop()).toBe(0)
})

it("a service that waits for a silent database ends within SHUTDOWN_MS", async () => {
  let isSilent = false
  let silent = 0
  const database = createServer((socket) => {
    socket.on("error", () => {})
    if (isSilent) silent += 1
    else socket.destroy()
  })
  database.listen(0, "127.0.0.1")
  await once(database, "listening")
  onTestFinished(() => void database.close())
  // Safe: a server that listens on TCP has an address of this kind.
  const { port } = database.address() as AddressInfo
  const { service } = await startWaiting(stagingOn(`postgres://petstore:x@127.0.0.1:${port}/petstore`))
  isSilent = true
  await expect.poll(() => silent, { timeout: 10_000 }).toBeGreaterThan(0)
  const stoppedAt = performance.now()
  expect(await service.stop()).toBe(0)
  expect(performance.now() - stoppedAt).toBeLessThan(2_500)
  expect(service.stderr).toContain("The store did not close within SHUTDOWN_MS.")
})

it("a service tries again if its database falls silent while the service reads the keys", async () => {
  const server = await newPostgresServer()
  const line = await openProxy(server.url)
  onTestFinished(line.close)
  await petstore(stagingOn(server.url), "migrate")
  line.onNext("FROM api_keys", () => {
    queueMicrotask(line.silence)
    return "pass"
  })
  const { service, baseUrl } = await startWaiting({ ...stagingOn(line.url), POSTGRES_STATEMENT_TIMEOUT_MS: "300" })
  expect(await statusesOf(baseUrl)).toEqual([200, 503, 401])
  line.resume()
  await service.until(() => service.printed().includes(" is served at "), "the address")
  expect(await statusesOf(baseUrl)).toEqual([200, 200, 401])
  expect(await service.stop()).toBe(0)
  await server.kill()
})
