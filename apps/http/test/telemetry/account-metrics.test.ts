/** The requests per account, as Prometheus sees them. */
import { expect, it } from "vitest"
import { startMetrics } from "../../src/telemetry/metrics.js"
import type { ObservedRequest } from "../../src/telemetry/request-observer.js"

const request: ObservedRequest = {
  requestId: "",
  apiKey: undefined,
  operation: "listPets",
  isDeprecated: false,
  method: "GET",
  path: "/v1/pets",
  status: 200,
  durationMillis: 1,
  bodyBytes: 2,
  isAnswered: true,
  traceId: undefined,
  clientAddress: undefined,
}

it("the metrics name the first 200 accounts that call, and count all other accounts together", async () => {
  const metrics = await startMetrics()
  for (let account = 0; account < 1000; account += 1) {
    metrics.requests.ended({ ...request, apiKey: { id: "key_1", accountId: `acc_${account}` } })
  }
  metrics.requests.ended({ ...request, apiKey: { id: "key_1", accountId: "acc_7" } })
  const { text } = await metrics.text()
  const lines = text.split("\n").filter((line) => line.startsWith("petstore_account_requests_total{"))
  expect(lines).toHaveLength(201)
  expect(lines).toContain('petstore_account_requests_total{account="acc_7"} 2')
  expect(lines).toContain('petstore_account_requests_total{account="other"} 800')
})
