/** The log's lines about requests and defects, and data that it never contains. */
import { once } from "node:events"
import { connect } from "node:net"
import { DatabaseSync } from "node:sqlite"
import { text } from "node:stream/consumers"
import { Client } from "@petstore/harness/client"
import { environmentIn } from "@petstore/harness/command"
import type { Service } from "@petstore/harness/serving"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"
import { readableLine } from "../../src/telemetry/readable-log.js"
import { lockStore } from "./locked-store.js"

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

const lineOf = (service: Service, requestId: string) => service.logLines().find((line) => line["requestId"] === requestId)

describe("the log", () => {
  it("has one line for each request, with its account, operation and outcome", async () => {
    const service = await serve(environmentIn(temporaryFolder()))
    using client = new Client(service.baseUrl, service.key)
    const ask = (id: string, path: string, key = service.key) =>
      client.send({ path, authorization: [`Bearer ${key}`], headers: [`X-Request-Id: ${id}`, `traceparent: ${traceparent}`] })
    const created = await client.send({
      method: "POST",
      path: "/pets?token=secret-in-a-query",
      body: `{"name":"a name of a pet","categoryId":1}`,
      headers: ["X-Request-Id: create"],
    })
    await ask("list", "/pets?limit=3")
    await ask("get", "/pets/404")
    await ask("refused", "/pets", "pst_dev_nobody")
    const nothing = await ask("nothing", "/nothing")
    expect(created.status).toBe(201)
    expect(nothing.header("traceparent")).toBe(traceparent)
    await service.until(() => lineOf(service, "nothing") !== undefined, "the last line")

    const times = {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      durationMillis: expect.any(Number),
      bytes: expect.any(Number),
    }
    const process = { level: "info", pid: service.pid, hostname: expect.any(String), msg: "answered", ...times }
    const caller = { accountId: expect.stringMatching(/^acc_/), keyId: expect.stringMatching(/^key_/) }
    const traceId = "0af7651916cd43dd8448eb211c80319c"
    expect(service.logLines()).toEqual([
      {
        ...process,
        ...caller,
        requestId: "create",
        made: "1",
        operation: "createPet",
        method: "POST",
        path: "/v1/pets",
        status: 201,
      },
      { ...process, ...caller, requestId: "list", operation: "listPets", method: "GET", path: "/v1/pets", status: 200, traceId },
      { ...process, ...caller, requestId: "get", operation: "getPet", method: "GET", path: "/v1/pets/404", status: 404, traceId },
      { ...process, requestId: "refused", operation: "listPets", method: "GET", path: "/v1/pets", status: 401, traceId },
      {
        ...process,
        ...caller,
        requestId: "nothing",
        operation: "other",
        method: "GET",
        path: "/v1/nothing",
        status: 404,
        traceId,
      },
    ])
    const [first] = service.logLines()
    expect(first?.["bytes"]).toBe(created.body.length)
    const log = service.stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .join("\n")
    expect(log).not.toMatch(/pst_dev_|Bearer|secret-in-a-query|a name of a pet/)
  })

  it("reports a client that resets its connection as disconnected, without an error or a status", async () => {
    const folder = temporaryFolder()
    const service = await serve(environmentIn(folder))
    const lock = lockStore(folder)
    const body = `{"name":"a","categoryId":1}`
    const head = ["POST /v1/pets HTTP/1.1", "Host: a", `Authorization: Bearer ${service.key}`, "Content-Type: application/json"]
    const leave = async (id: string, bytes: string): Promise<void> => {
      const caller = connect(Number(new URL(service.baseUrl).port), "127.0.0.1")
      await once(caller, "connect")
      caller.write([...head, `X-Request-Id: ${id}`, `Content-Length: ${body.length}`, "", bytes].join("\r\n"))
      // The response to a second request shows that the first one has arrived.
      await fetch(new URL("/healthz", service.baseUrl))
      caller.resetAndDestroy()
      await service.until(() => lineOf(service, id) !== undefined, "the disconnected client's line")
    }
    await leave("before-its-response", body)
    await leave("within-its-body", body.slice(0, 5))
    lock.close()
    for (const id of ["before-its-response", "within-its-body"]) {
      expect(lineOf(service, id)).toMatchObject({ level: "info", msg: "the client disconnected before the response" })
      expect(lineOf(service, id)).not.toHaveProperty("status")
    }
    expect(service.logLines().filter(({ level }) => level !== "info")).toEqual([])
    expect(service.stderr).toBe("")
  })

  it("reports a defect in full, with its stack and its request's identifier", async () => {
    const folder = temporaryFolder()
    const service = await serve(environmentIn(folder))
    // A missing table is a defect, because the service does not expect one.
    const file = new DatabaseSync(`${folder}/petstore.db`, { timeout: 60_000 })
    file.exec("DROP TABLE pets")
    file.close()
    using client = new Client(service.baseUrl, service.key)
    const { status, text } = await client.send({ headers: ["X-Request-Id: defect"] })
    expect({ status, text }).toEqual({ status: 500, text: expect.stringContaining('"internal_error"') })
    const error = () => service.logLines().find(({ level }) => level === "error")
    await service.until(() => error() !== undefined, "the defect")
    expect(error()).toMatchObject({
      requestId: "defect",
      err: { message: expect.stringContaining("no such table"), stack: expect.stringContaining("\n    at ") },
    })
  })

  it("has the client that a trusted proxy names, on a connection with a broken request too", async () => {
    const service = await serve(environmentIn(temporaryFolder(), { PROXY_PROTOCOL_FROM: "127.0.0.2/32,::1/128" }))
    const port = Number(new URL(service.baseUrl).port)
    const good = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
    const send = async (localAddress: string, bytes: string): Promise<void> => {
      const caller = connect({ port, host: "127.0.0.1", localAddress })
      caller.end(bytes)
      await text(caller)
    }
    await send("127.0.0.2", `PROXY TCP4 192.0.2.7 10.0.0.1 12345 80\r\n${good}`)
    await send("127.0.0.2", "PROXY TCP6 2001:db8::7 ::1 12345 80\r\nG E T\r\n\r\n")
    await send("127.0.0.3", `PROXY TCP4 192.0.2.7 10.0.0.1 12345 80\r\n${good}`)
    await send("127.0.0.3", good)
    await service.until(() => service.logLines().length === 4, "the lines")
    expect(service.logLines().map(({ status, client }) => [status, client])).toEqual([
      [200, "192.0.2.7"],
      [400, "2001:db8::7"],
      [400, "127.0.0.3"],
      [200, "127.0.0.3"],
    ])
  })

  it("is empty at level silent", async () => {
    const service = await serve(environmentIn(temporaryFolder(), { LOG_LEVEL: "silent" }))
    await fetch(`${service.baseUrl}/pets`)
    service.signal("SIGTERM")
    expect((await service.ended).code).toBe(0)
    expect(service.logLines()).toEqual([])
    expect(service.stderr).toBe("")
  })

  it("is complete when the process exits", async () => {
    const service = await serve(environmentIn(temporaryFolder()))
    using client = new Client(service.baseUrl, service.key)
    for (let sent = 0; sent < 50; sent += 1) await client.send({})
    service.signal("SIGTERM")
    await service.ended
    expect(service.logLines().filter(({ msg }) => msg === "answered")).toHaveLength(50)
  })
})

describe("a human-readable line", () => {
  it("shows time, level, message and facts", () => {
    const line =
      '{"level":"info","time":"1970-01-01T00:00:00.000Z","pid":1,"hostname":"h","operation":"listPets","status":200,"msg":"answered"}\n'
    expect(readableLine(line)).toBe("00:00:00.000 INFO answered operation=listPets status=200\n")
  })

  it("shows an error's stack", () => {
    const line =
      '{"level":"error","time":"1970-01-01T00:00:00.000Z","err":{"message":"m","stack":"Error: m\\n    at f"},"msg":"m"}\n'
    expect(readableLine(line)).toBe("00:00:00.000 ERROR m\nError: m\n    at f\n")
  })
})
