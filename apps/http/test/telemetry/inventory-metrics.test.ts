/** The number of pets, as Prometheus sees it. */
import { inventoryOf } from "@petstore/core"
import { expect, it } from "vitest"
import { startMetrics } from "../../src/telemetry/metrics.js"

const open = async () => {
  const metrics = await startMetrics()
  const lines = async () => {
    const { text } = await metrics.text()
    return text.split("\n").filter((line) => line.startsWith("petstore_pets{"))
  }
  return { metrics, lines }
}

it("the number of pets is absent while the database is unavailable", async () => {
  const { metrics, lines } = await open()
  let isUnavailable = false
  metrics.inventory(() =>
    isUnavailable ? Promise.reject(new Error("unavailable")) : Promise.resolve(inventoryOf([["sold", 3]])),
  )
  expect(await lines()).toContain('petstore_pets{status="sold"} 3')
  isUnavailable = true
  expect(await lines()).toEqual([])
})

it("a scrape does not read the number of pets from a store with several nodes, which would have to count every pet", async () => {
  const { metrics, lines } = await open()
  metrics.nodes(async () => [{ node: "worker-1:5432", isUp: true }])
  let asked = 0
  metrics.inventory(async () => {
    asked += 1
    return inventoryOf([])
  })
  expect([await lines(), asked]).toEqual([[], 0])
})
