/** Changes reach webhooks, in order and signed, on each engine. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { verifyWebhook } from "@petstore/client"
import { commandPath, environmentIn, run } from "@petstore/harness/command"
import { freePort } from "@petstore/harness/free-port"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { Webhook } from "standardwebhooks"
import { describe, expect, it, onTestFinished } from "vitest"
import { accept, openReceiver } from "./receiver.js"

const stores = { SQLite: (folder: string) => `sqlite:${folder}/petstore.db`, PostgreSQL: () => newPostgresDatabase() }

const newEnvironment = async (storeIn: (folder: string) => string | Promise<string>) => {
  const folder = temporaryFolder()
  // Deliveries do not use a proxy of the environment: this one does not exist.
  const proxy = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9" }
  return environmentIn(folder, { ...proxy, DATABASE_URL: await storeIn(folder) })
}

type Environment = Awaited<ReturnType<typeof newEnvironment>>

const petstore = async (environment: Environment, ...args: ReadonlyArray<string>) => {
  const { exitCode, stdout, stderr } = await run(environment, ...args, "--json")
  if (exitCode !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const creator =
  ({ baseUrl, key }: { readonly baseUrl: string; readonly key: string }) =>
  async (name: string) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
    const body = JSON.stringify({ name, categoryId: 1 })
    expect((await fetch(`${baseUrl}/pets`, { method: "POST", headers, body })).status).toBe(201)
    // On PostgreSQL, changes of two pets have no order within one millisecond.
    await sleep(2)
  }

describe.each(Object.entries(stores))("webhooks on %s", (_, storeIn) => {
  it("get every change after their registration, in order, each verified by the library of the standard", async () => {
    const environment = await newEnvironment(storeIn)
    const service = await serve(environment)
    const create = creator(service)
    await create("before")
    const receiver = await openReceiver()
    const { id, secret } = await petstore(environment, "webhooks", "add", receiver.url)
    const names = Array.from({ length: 20 }, (_, index) => `Pet ${index}`)
    for (const name of names) await create(name)
    await expect.poll(receiver.names, { timeout: 10_000 }).toStrictEqual(names)
    for (const { payload, headers, id: changeId, name } of receiver.received) {
      // Safe: the library reads these headers only.
      const event = new Webhook(secret).verify(payload, headers as Record<string, string>)
      expect(event).toMatchObject({ type: "createPet", data: { id: changeId, after: { pet: { name } } } })
      expect((await verifyWebhook(payload, headers, secret)).data).toMatchObject({ id: changeId, after: { pet: { name } } })
      expect(changeId).not.toContain(".")
    }
    const deliveries = await petstore(environment, "webhooks", "deliveries", id)
    expect(deliveries).toHaveLength(20)
    expect(deliveries[0]).toMatchObject({ change: receiver.received.at(-1)?.id, outcome: "delivered", status: 204, tries: 1 })
    await petstore(environment, "webhooks", "redeliver", id, receiver.received[3]?.id ?? "")
    await expect.poll(() => receiver.names().at(-1), { timeout: 5_000 }).toBe("Pet 3")
  })

  it("go on after kill -9 of the service, without a loss", async () => {
    const environment = await newEnvironment(storeIn)
    const first = await serve(environment)
    const receiver = await openReceiver()
    await petstore(environment, "webhooks", "add", receiver.url)
    receiver.respondWith((response, received, count) => {
      // The service dies after the response and, with luck, before the note of it.
      accept(response, received, count)
      if (count === 3) first.signal("SIGKILL")
    })
    const names = ["a", "b", "c", "d", "e"]
    const create = creator(first)
    for (const name of names) await create(name).catch(() => {})
    await expect.poll(() => first.isRunning, { timeout: 10_000 }).toBe(false)
    const second = await serve(environment)
    await creator({ baseUrl: second.baseUrl, key: first.key })("last")
    await expect.poll(() => receiver.names().at(-1), { timeout: 50_000 }).toBe("last")
    const once = [...new Set(receiver.names())]
    expect(once).toStrictEqual([...names, "last"].filter((name) => once.includes(name)))
    expect(once.slice(0, 3)).toStrictEqual(["a", "b", "c"])
    expect(receiver.received.length - once.length).toBeLessThanOrEqual(1)
  })
})

it("a disabled webhook is in the log, the metrics and doctor, and goes on where it stopped or from now on", async () => {
  const folder = temporaryFolder()
  const environment = environmentIn(folder, { DATABASE_URL: `sqlite:${folder}/petstore.db`, ADMIN_PORT: "0" })
  const service = await serve(environment)
  const create = creator(service)
  const receiver = await openReceiver()
  receiver.respondWith((response) => void response.writeHead(410).end())
  const { id } = await petstore(environment, "webhooks", "add", receiver.url)
  const list = () => petstore(environment, "webhooks", "list")
  const metric = async () => {
    const metrics = await (await fetch(/http:\S+\/metrics/.exec(service.stdout)?.[0] ?? "")).text()
    return /^petstore_webhooks_disabled\{reason="gone".*\} (\d+)$/m.exec(metrics)?.[1]
  }
  const finding = async () => {
    const findings = JSON.parse((await run(environment, "doctor", "--json")).stdout)
    return findings.find(({ about }: { readonly about: string }) => about === "webhooks")
  }
  expect(await metric()).toBe("0")
  expect(await finding()).toMatchObject({ state: "ok", finding: "1 webhook took the last change." })
  await create("a")
  await expect.poll(list, { timeout: 10_000 }).toMatchObject([{ disabled: "gone" }])
  await expect.poll(metric, { timeout: 10_000 }).toBe("1")
  expect(service.stdout + service.stderr).toContain(`Webhook ${id} is disabled, because its endpoint responded with 410.`)
  expect(await finding()).toStrictEqual({
    state: "problem",
    about: "webhooks",
    finding: `Webhook ${id} (${receiver.url}) is disabled, because its endpoint responded with 410.`,
    remedy: `petstore webhooks enable ${id}`,
  })
  expect((await run(environment, "webhooks", "redeliver", id, "1-a")).stderr).toContain("is disabled. Enable it first")

  receiver.respondWith(accept)
  await create("b")
  await petstore(environment, "webhooks", "enable", id)
  await expect.poll(receiver.names, { timeout: 10_000 }).toStrictEqual(["a", "a", "b"])
  await expect.poll(metric, { timeout: 10_000 }).toBe("0")

  await petstore(environment, "webhooks", "disable", id)
  await expect.poll(finding).toMatchObject({ state: "ok", finding: expect.stringContaining("is disabled by the operator") })
  await create("c")
  await petstore(environment, "webhooks", "enable", id, "--from", "now")
  await create("d")
  await expect.poll(receiver.names, { timeout: 10_000 }).toStrictEqual(["a", "a", "b", "d"])
  expect(await metric()).toBe("0")
})

it("webhooks listen verifies with both secrets after a rotation, and with no other", async () => {
  const folder = temporaryFolder()
  const environment = environmentIn(folder, { DATABASE_URL: `sqlite:${folder}/petstore.db` })
  const create = creator(await serve(environment))
  const port = String(await freePort())
  const { id, secret } = await petstore(environment, "webhooks", "add", `http://127.0.0.1:${port}/`)
  const rotated = await petstore(environment, "webhooks", "rotate", id)
  expect(rotated.secret).toMatch(/^whsec_/)
  expect(rotated.secret).not.toBe(secret)

  const listen = async (withSecret: string) => {
    const args = ["webhooks", "listen", "--port", port, "--secret", withSecret]
    const listener = spawn(commandPath("petstore"), args, { env: environment, stdio: ["ignore", "pipe", "inherit"] })
    onTestFinished(() => void listener.kill("SIGKILL"))
    let printed = ""
    listener.stdout.on("data", (chunk) => (printed += String(chunk)))
    await expect.poll(() => printed, { timeout: 20_000 }).toBe(`Receiving webhooks at http://127.0.0.1:${port}/ until Ctrl-C.\n`)
    const stop = () => {
      const ended = once(listener, "exit")
      listener.kill("SIGINT")
      return ended
    }
    return { printed: () => printed, stop }
  }

  for (const [each, name] of [
    [rotated.secret, "new"],
    [secret, "former"],
  ]) {
    const listener = await listen(each)
    await create(name)
    await expect
      .poll(listener.printed, { timeout: 10_000 })
      .toMatch(new RegExp(`\\nverified .* createPet .*\\n\\{.*"name":"${name}".*\\}\\n$`))
    await listener.stop()
  }
  const other = await listen("whsec_AAAA")
  await create("other")
  const sentence = "The webhook is not verified: no signature matches the secret and the body.\n"
  await expect.poll(other.printed, { timeout: 10_000 }).toContain(sentence)
  await expect
    .poll(() => petstore(environment, "webhooks", "deliveries", id), { timeout: 10_000 })
    .toMatchObject([{ outcome: "waiting", status: 400, tries: 1 }, {}, {}])
})
