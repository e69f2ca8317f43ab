/** What the 503 to a write says about whether the write happened (specification 7.15). */
import { expect, it, onTestFinished } from "vitest"
import { startFailingService } from "../failing-service.js"

const start = async () => {
  const service = await startFailingService(1_000)
  onTestFinished(service.stop)
  const authorization = { Authorization: `Bearer ${await service.makeKey()}`, "Content-Type": "application/json" }
  const send = async (method: string, path: string, headers: Readonly<Record<string, string>> = {}) => {
    const body = method === "GET" || method === "DELETE" ? {} : { body: '{"name":"Bello","categoryId":1,"petId":1}' }
    const response = await fetch(`${service.baseUrl}${path}`, { method, headers: { ...authorization, ...headers }, ...body })
    return response.json()
  }
  return { service, send }
}

it.each([
  ["POST", "/pets", {}, /It may have been stored: look for it before you send it again\./],
  ["POST", "/pets", { "Idempotency-Key": "a" }, /It may have been stored\. Send it again with the same Idempotency-Key/],
  ["POST", "/store/orders", {}, /It may have been stored: look for it/],
  ["PATCH", "/pets/1", {}, /The change may have happened\. It is safe to send it again\.$/],
  ["PATCH", "/pets/1", { "If-Match": "*" }, /The change may have happened, and then its condition no longer holds: read the/],
  ["PUT", "/categories/1", { "If-None-Match": "*" }, /The change may have happened, and then its condition/],
  ["DELETE", "/categories/1", {}, /The change may have happened\. It is safe/],
  ["POST", "/store/orders/1/complete", {}, /It may have happened\. It is safe to send it again\.$/],
  ["GET", "/pets", {}, /^The database is unavailable\. Try again\.$/],
])("%s %s with %j says whether it may have happened", async (method, path, headers, message) => {
  const { service, send } = await start()
  service.become("catalogue unavailable")
  expect(await send(method, path, headers)).toMatchObject({
    code: "storage_unavailable",
    message: expect.stringMatching(message),
  })
})

it("a request whose key could not be checked is told that it did not run", async () => {
  const { service, send } = await start()
  service.become("credentials unavailable")
  expect(await send("POST", "/pets")).toMatchObject({
    code: "storage_unavailable",
    message: "The database is unavailable. This request did not run. Try again.",
  })
})
