/** The time limits for requests (sentence 8.3), with very short values. `time-limits.long.ts` tests the defaults. */
import { once } from "node:events"
import { connect } from "node:net"
import { inMemory } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { afterAll, beforeAll, expect, it } from "vitest"

const headMillis = 300
const requestMillis = 900

let service: Service
beforeAll(async () => {
  service = await startService(inMemory({ HEAD_MS: String(headMillis), REQUEST_MS: String(requestMillis) }))
})
afterAll(() => service?.stop())

it.each([
  ["head", headMillis, "GET /v1/pets HTTP/1.1\r\nHost: a\r\n"],
  [
    "body",
    requestMillis,
    "POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{",
  ],
])("the service responds with 408 if the %s does not arrive within the time limit", async (_part, limitMillis, text) => {
  const { hostname, port } = new URL(service.origin)
  const socket = connect(Number(port), hostname)
  const startedAt = performance.now()
  let received = ""
  socket.on("data", (bytes: Buffer) => {
    received += bytes.toString("latin1")
  })
  socket.write(text.replace("KEY", service.key))
  await once(socket, "close")
  const tookMillis = performance.now() - startedAt
  expect(received).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
  expect(tookMillis).toBeGreaterThan(limitMillis - 50)
  // The shorter of the two defaults is 10 s.
  expect(tookMillis).toBeLessThan(9_000)
})
