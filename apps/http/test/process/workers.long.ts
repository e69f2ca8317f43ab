/** What takes long with several processes: restarts without a lost connection (sentence 15.4), many times over, and time limits. */
import { connect } from "node:net"
import { environmentIn } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"
import { startCallers } from "../restarts.js"

const requests = 50_000
const restarts = 20

it(`answers ${requests} requests on connections of their own over ${restarts} restarts`, async () => {
  // Without a line of the log for each request: there are many.
  const service = await serve(environmentIn(temporaryFolder(), { WORKERS: "2", SHUTDOWN_MS: "3000", LOG_LEVEL: "warn" }))
  const callers = startCallers(service, 16)
  for (let restart = 1; restart <= restarts || callers.sent() < requests; restart += 1) {
    const before = service.workerPids()
    service.signal("SIGHUP")
    await service.until(() => {
      const now = service.workerPids()
      return now.length === 2 && !now.some((pid) => before.includes(pid))
    }, `restart ${restart}`)
  }
  expect(await callers.stop()).toEqual([])
  expect(await callers.compare(service)).toEqual([])
  expect(callers.sent()).toBeGreaterThanOrEqual(requests)
})

it("closes a connection on which a head does not arrive in time, though the primary accepted it", async () => {
  const service = await serve(environmentIn(temporaryFolder(), { WORKERS: "2" }))
  const socket = connect(Number(new URL(service.baseUrl).port), "127.0.0.1")
  let received = ""
  socket.setEncoding("utf8").on("data", (text: string) => {
    received += text
  })
  socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n")
  await new Promise((resolve) => socket.once("close", resolve))
  expect(received).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
})
