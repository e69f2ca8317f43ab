/** Tests which requests a service without free memory refuses, and how it recovers (specification 7.12, 10.51). */
import { Caller, get } from "@petstore/harness/caller"
import { environmentIn } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

it("an overloaded service first refuses requests without a key, stays healthy, drops slow readers and recovers", async () => {
  const service = await serve(environmentIn(temporaryFolder(), { ADMIN_PORT: "0", PROCESS_BUDGET_BYTES: "2097152" }))
  const { origin, port } = new URL(service.baseUrl)
  const metricsUrl = /Metrics are at (\S+)/.exec(service.stdout)?.[1] ?? ""
  const headers = { Authorization: `Bearer ${service.key}` }
  const refused: Array<Response> = []
  const askDocs = async (): Promise<number> => {
    const response = await fetch(`${origin}/docs`)
    if (response.status === 503) refused.push(response)
    else await response.text()
    return response.status
  }
  expect(await askDocs()).toBe(200)
  const stuck = await Promise.all(Array.from({ length: 8 }, () => Caller.open(Number(port))))
  for (const { socket } of stuck) {
    socket.pause()
    socket.write(get("/docs").repeat(2_000))
  }
  await service.until(async () => (await askDocs()) === 503, "a request to be refused")
  expect((await fetch(`${service.baseUrl}/pets`, { headers })).status).toBe(200)
  expect((await fetch(`${origin}/healthz`)).status).toBe(200)
  expect(refused[0]?.headers.get("retry-after")).toBe("1")
  expect(await refused[0]?.json()).toMatchObject({ code: "service_overloaded", status: 503 })
  const isCounted = async () => /closed_total\{reason="slow_reader"\} [1-9]/.test(await (await fetch(metricsUrl)).text())
  await service.until(isCounted, "a connection with unread bytes to be closed")
  for (const { socket } of stuck) socket.destroy()
  await service.until(async () => (await askDocs()) === 200, "the page to be served again")
})
