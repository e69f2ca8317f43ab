import { once } from "node:events"
import { readdirSync, renameSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { text } from "node:stream/consumers"
import { declareConformance } from "@petstore/conformance/testing"
import { commandPath, createKey, environmentIn, petstore, runProgram, TemporaryStore } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { stopWhenServed } from "@petstore/harness/testing"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"

const command = commandPath("petstore-quickstart")
const folder = new TemporaryStore()

const settingsOf = (settings: Readonly<Record<string, string>> = {}) => environmentIn(folder.directory, settings)

/** Starts the app, and waits until it has printed its address and the curl command. */
const start = async (settings: Readonly<Record<string, string>> = {}): Promise<Service> => {
  const app = await startService(settingsOf(settings), { program: command, args: [] })
  await app.until(() => /curl .*\n/.test(app.printed()), "the curl command")
  return app
}

let app: Service
let url: string
let key: string
let readOnlyKey: string

beforeAll(async () => {
  app = await start()
  url = app.baseUrl
  key = app.key
  await petstore(settingsOf(), "accounts", "create", "reader")
  readOnlyKey = (await createKey(settingsOf(), "reader", "--read-only")).key
})

afterAll(async () => {
  await app.kill()
  folder.remove()
})

const call = async (request: RequestInit & { readonly path?: string } = {}) => {
  const { path, ...rest } = request
  const response = await fetch(path === undefined ? url : new URL(path, url), {
    method: "POST",
    ...rest,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...rest.headers },
  })
  const body = await response.text()
  return { status: response.status, headers: response.headers, body: body === "" ? undefined : JSON.parse(body) }
}

const error = (code: string, status: number) => ({ code, status, message: expect.any(String) })

declareConformance(
  "the quickstart",
  () => ({ baseUrl: url, key, write: true, given: { quickstartUrl: app.origin, readOnlyKey } }),
  {
    sections: ["4.4"],
  },
)

describe("POST /messages", () => {
  it("stores the message, and responds with 202 and the message (4.4.1 to 4.4.5, 4.4.11)", async () => {
    const message = 'say "hi"\u2028🐈'
    const { status, headers, body } = await call({ body: JSON.stringify({ message, other: 1 }) })
    expect(status).toBe(202)
    expect(headers.get("content-type")).toMatch(/^application\/json/)
    expect(body).toEqual({
      id: expect.stringMatching(/^msg_\w{16}$/),
      message,
      status: "queued",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    const store = new DatabaseSync(join(folder.directory, "petstore.db"), { readOnly: true })
    onTestFinished(() => store.close())
    const row = store.prepare("SELECT message, created_at FROM messages WHERE id = ?").get(body.id)
    expect({ ...row }).toEqual({ message, created_at: Date.parse(body.createdAt) })
  })

  it("refuses a body over the limit", async () => {
    const body = JSON.stringify({ message: "x".repeat(70_000) })
    expect(await call({ body })).toMatchObject({ status: 413, body: error("body_too_large", 413) })
  })

  it("refuses two credentials with an Error object (4.4.9)", async () => {
    const { hostname, port } = new URL(url)
    const answerTo = async (...lines: ReadonlyArray<string>): Promise<string> => {
      const socket = connect(Number(port), hostname)
      socket.write(["POST /messages HTTP/1.1", ...lines, "Content-Length: 0", "Connection: close", "", ""].join("\r\n"))
      return text(socket)
    }
    const credential = `Authorization: Bearer ${key}`
    expect(await answerTo("Host: a", credential, credential)).toMatch(/^HTTP\/1\.1 401 [\s\S]*"code":"invalid_credential"/)
    expect(await answerTo("Host: a", credential)).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"unsupported_content_type"/)
  })
})

describe("petstore-quickstart", () => {
  it("reports in one line that its port is taken", async () => {
    const { stderr, exitCode } = await runProgram(settingsOf({ PORT: new URL(url).port }), command, [])
    expect(stderr).toMatch(/^petstore-quickstart: .*EADDRINUSE.*\n$/)
    expect(exitCode).toBe(1)
  })

  it("reports in one line which setting is invalid", async () => {
    for (const settings of [{ PORT: "x" }, { PETSTORE_ENV: "test" }, { DATABASE_URL: "mysql:" }]) {
      const { stderr } = await runProgram(settingsOf(settings), command, [])
      expect(stderr).toMatch(new RegExp(`^petstore-quickstart: ${Object.keys(settings)[0]}: expected .*\n$`))
    }
  })

  it("exits with code 0 if a signal arrives right after the address is printed", async () => {
    const stopped = await startService(settingsOf({ DATABASE_URL: "memory:", ...stopWhenServed }), { program: command, args: [] })
    expect(await stopped.ended).toEqual({ code: 0, signal: null })
  })

  it("creates a key for an in-memory store, finishes requests in flight on SIGTERM, and exits with code 0", async () => {
    const other = await start({ DATABASE_URL: "memory:" })
    onTestFinished(() => other.kill())
    const { key } = other
    const { hostname, port } = new URL(other.baseUrl)
    const socket = connect(Number(port), hostname)
    const body = '{"message":"Hello"}'
    const head = `POST /messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`
    const received = text(socket)
    socket.write(head)
    // Once the server requests the body, the request is in flight.
    await once(socket, "data")
    other.signal("SIGTERM")
    socket.write(body)
    expect(await received).toContain("202 Accepted")
    expect(await other.ended).toEqual({ code: 0, signal: null })
  })
})

it("exits with code 1 after another file took the place of its store", async () => {
  const store = new TemporaryStore()
  onTestFinished(() => store.remove())
  const settings = environmentIn(store.directory)
  const served = await startService(settings, { program: command, args: [] })
  onTestFinished(() => served.kill())
  const file = join(store.directory, "petstore.db")
  const backup = join(store.directory, "backup.db")
  await petstore(settings, "backup", backup)
  renameSync(backup, file)
  expect(await served.ended).toEqual({ code: 1, signal: null })
  expect(readdirSync(store.directory).filter((name) => name.includes("petstore.db.replaced-"))).toHaveLength(1)
})
