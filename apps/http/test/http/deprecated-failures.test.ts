/** The deprecated operation sends its deprecation headers with every response (sentence 4.3.9), even if it fails. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type FailingService, startFailingService } from "../failing-service.js"

let service: FailingService
let key: string

beforeAll(async () => {
  service = await startFailingService(100)
  key = await service.makeKey()
})

afterAll(() => service.stop())

it.each([
  ["a defect", "catalogue broken", 500],
  ["an unavailable store", "catalogue unavailable", 503],
  ["an unknown pet", "well", 404],
] as const)("the response to %s says that getPet is deprecated", async (_what, health, status) => {
  service.become(health)
  const response = await fetch(`${service.baseUrl}/pets/7`, { headers: { Authorization: `Bearer ${key}` } })
  expect(response.status).toBe(status)
  expect(response.headers.get("Deprecation")).toBe("@1764892800")
  expect(response.headers.get("Sunset")).toBe("Thu, 05 Dec 2030 00:00:00 GMT")
  expect(response.headers.get("Link")).toBe('</v1/pets>; rel="successor-version"')
})
