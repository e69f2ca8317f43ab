/** Places that must not contain an API key: the log, the store, the service's memory and its arguments. */
import { once } from "node:events"
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createKey, petstore, TemporaryStore } from "@petstore/harness/command"
import { serve } from "@petstore/harness/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const store = new TemporaryStore()
let key: string

beforeAll(async () => {
  await petstore(store.environment, "accounts", "create", "secrets")
  key = (await createKey(store.environment, "secrets")).key
})

afterAll(() => store.remove())

/** An API key that a client sends as an idempotency key. The service stores it like any other idempotency key. */
const pasted = `pst_dev_${"k".repeat(38)}`

/** Sends the key in right and wrong places, on connections that close afterwards. */
const sendEverywhere = async (baseUrl: string, secret: string): Promise<void> => {
  const json = { "Content-Type": "application/json", Connection: "close" }
  const send = async (path: string, headers: Record<string, string>, body?: string) => {
    const method = body === undefined ? "GET" : "POST"
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...json, ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const reply = [await response.text(), ...[...response.headers].flat()].join("\n")
    expect(reply).not.toContain(secret)
    expect(reply).not.toContain(pasted)
  }
  const authorization = { Authorization: `Bearer ${secret}` }
  await send("/pets", authorization)
  await send("/pets", authorization, `{"name":"Bello","categoryId":1}`)
  await send("/pets", { Authorization: `Bearer ${secret}x` })
  await send("/pets", { Authorization: `Basic ${secret}` })
  await send(`/pets?api_key=${secret}`, {})
  await send("/pets", { Cookie: `key=${secret}` })
  await send("/pets", { "X-Api-Key": secret })
  // Pasted into wrong places, mostly by a client that also sends the key correctly.
  const pet = '{"name":"Bello","categoryId":1}'
  for (let sent = 0; sent < 3; sent += 1) await send(`/pets?api_key=${secret}`, authorization)
  for (const path of [`/pets/${secret}`, `/${secret}`, `/pets/${encodeURIComponent(secret).replaceAll("_", "%5F")}`]) {
    await send(path, authorization)
    await send(path, authorization, pet)
    await send(path, {})
  }
  for (const parameter of ["limit", "status", "cursor"]) await send(`/pets?${parameter}=${secret}`, authorization)
  await send(`/store/orders?status=${secret}`, authorization)
  await send(`/store/orders/${secret}/cancel`, authorization, "")
  await send("/pets", { ...authorization, "Idempotency-Key": `${secret} and a space` }, pet)
  for (const body of [pet, '{"name":"Mia","categoryId":1}']) {
    await send("/pets", { ...authorization, "Idempotency-Key": pasted }, body)
  }
  await send("/pets", { ...authorization, "Content-Type": secret }, pet)
  await send("/pets", { ...authorization, "Content-Encoding": secret }, pet)
  await send("/pets", { ...authorization, "X-Request-Id": secret })
  await send("/pets", authorization, `{"name":"Bello","categoryId":"${secret}","status":"${secret}"}`)
}

describe("an API key", () => {
  it("does not appear in the most verbose log", async () => {
    const serving = await serve({ ...store.environment, LOG_LEVEL: "trace" })
    await sendEverywhere(serving.baseUrl, key)
    // The log line of the last request is written after its response, and before the process exits.
    await serving.stop()
    expect(serving.printed()).toContain('"status":401')
    expect(serving.printed()).not.toContain(key)
    expect(serving.printed()).not.toContain(pasted)
  })

  it("does not appear in the store's files", () => {
    const files = readdirSync(store.directory).map((name) => join(store.directory, name))
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) expect(readFileSync(file).includes(key)).toBe(false)
  })

  it("does not appear in the process's arguments", async () => {
    const serving = await serve(store.environment)
    await sendEverywhere(serving.baseUrl, key)
    // Only Linux exposes a process's arguments as a file.
    const file = `/proc/${serving.pid}/cmdline`
    if (existsSync(file)) expect(readFileSync(file, "utf8")).not.toContain(key)
  })

  it("does not appear in a memory dump after the connections that sent it have closed", async () => {
    const options = { NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 "--diagnostic-dir=${store.directory}"` }
    const serving = await serve({ ...store.environment, ...options })
    const marker = "kept-in-memory-for-comparison"
    await sendEverywhere(serving.baseUrl, key)
    // A request that is still open. Its marker must be in the dump, or the dump proves nothing.
    const open = request(`${serving.baseUrl}/pets`, { method: "POST", headers: { "X-Marker": marker, "Content-Length": 10 } })
    open.on("error", () => {})
    open.flushHeaders()
    const [socket] = await once(open, "socket")
    if (socket.connecting) await once(socket, "connect")
    // The open request was sent before these requests, so the service has read it by the time it responds to them.
    for (let turn = 0; turn < 2; turn += 1) await fetch(serving.baseUrl)
    // The connections that sent the key close by themselves.
    await sleep(300)
    process.kill(serving.pid, "SIGUSR2")
    const dump = await theDump()
    open.destroy()
    expect(dump).toContain(marker)
    expect(dump).not.toContain(key)
  })
})

/** Waits until the memory dump is complete, and returns it. */
const theDump = async (): Promise<string> => {
  for (let tries = 0; tries < 600; tries += 1) {
    const [file] = globSync("*.heapsnapshot", { cwd: store.directory })
    const text = file === undefined ? "" : readFileSync(join(store.directory, file), "utf8")
    if (text.trimEnd().endsWith("]}")) return text
    await sleep(100)
  }
  throw new Error("the service has not written a complete memory dump")
}

describe("the log", () => {
  it("has one complete line for each request, whatever the input", async () => {
    const serving = await serve({ ...store.environment, LOG_LEVEL: "info" })
    const lie = encodeURIComponent('"}\n{"level":60,"msg":"forged"}')
    const headers = { Authorization: `Bearer ${key}` }
    const paths = [`/${lie}`, `/pets/${lie}`, "/%1b[31mred", "/\u2028", `/${"a".repeat(4000)}`, `/pets?limit=${lie}`]
    for (const path of paths) await (await fetch(serving.baseUrl + path, { headers })).text()
    const odd = { ...headers, "X-Request-Id": '"}{"level":60', "User-Agent": "\u00ff\t{}" }
    await (await fetch(`${serving.baseUrl}/pets`, { headers: odd })).text()
    await serving.until(() => serving.logLines().length > paths.length, "a line per request")
    const lines = serving.logLines()
    expect(lines).toHaveLength(paths.length + 1)
    for (const line of lines) expect(line).toMatchObject({ level: "info", msg: "answered", pid: serving.pid })
    // No control character reaches a terminal, which would execute escape sequences.
    expect(serving.printed()).not.toMatch(/[^\P{Cc}\n]/u)
  })
})
