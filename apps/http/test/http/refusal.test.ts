/** Messages that are refused before they are requests are observed like any other (specification 8.5, 8.7). */
import { once } from "node:events"
import { createBoundedServer } from "@petstore/bounded-http"
import { Caller, get, post } from "@petstore/harness/caller"
import { describe, expect, it, onTestFinished } from "vitest"
import { refuseWith } from "../../src/http/refusal.js"
import type { ObservedRequest } from "../../src/telemetry/request-observer.js"

describe("a refusal", () => {
  it.for([
    ["of a message that could not be read", "nonsense\r\n\r\n", "", ""],
    ["of a head that is too long", get("/a", `X: ${"x".repeat(40_000)}`), "", ""],
    ["of a head that was read", post("/a?b", "", "Host: b", "X-Request-Id: mine"), "POST", "/a"],
  ] as const)("%s is observed like any other request", async ([, bytes, method, path]) => {
    const seen: Array<ObservedRequest> = []
    let started = 0
    const observer = {
      started: () => {
        started += 1
      },
      ended: (request: ObservedRequest) => void seen.push(request),
    }
    const server = createBoundedServer((_request, response) => response.end(), { refuse: refuseWith([observer], () => []) })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close().closeAllConnections())
    const caller = await Caller.open(Object(server.address()).port)
    caller.send(bytes)
    await caller.ended
    const [, status = ""] = /^HTTP\/1\.1 (\d+)/.exec(caller.received) ?? []
    const [, requestId = ""] = /\r\nX-Request-Id: (\S+)\r\n/.exec(caller.received) ?? []
    expect(requestId).toMatch(path === "" ? /^[0-9a-f]+-\d+$/ : /^mine$/)
    expect(started).toBe(1)
    expect(seen).toMatchObject([{ method, path, requestId, status: Number(status), operation: "other", isAnswered: true }])
  })
})
