/** A connection pool's state, as Prometheus sees it. */
import { expect, it } from "vitest"
import { startMetrics } from "../../src/telemetry/metrics.js"

it("every scrape reads the pool's state, which is absent if there is no pool", async () => {
  const metrics = await startMetrics()
  const lines = async () => {
    const { text } = await metrics.text()
    return text.split("\n").filter((line) => line.startsWith("petstore_store_pool{"))
  }
  expect(await lines()).toEqual([])
  let waiting = 0
  metrics.pool(() => ({ connections: 10, inFlight: 4, waiting }))
  waiting = 3
  expect(await lines()).toEqual([
    'petstore_store_pool{of="connections"} 10',
    'petstore_store_pool{of="inFlight"} 4',
    'petstore_store_pool{of="waiting"} 3',
  ])
})
