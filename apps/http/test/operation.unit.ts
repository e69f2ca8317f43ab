/** The names under which logs, metrics and traces count requests. */
import { expect, it } from "vitest"
import { isDeprecated, operationOf } from "../src/telemetry/operation.js"

it.each([
  ["GET", "/v1/pets", "listPets"],
  ["HEAD", "/v1/pets", "listPets"],
  ["POST", "/v1/pets", "createPet"],
  ["GET", "/v1/pets/7", "getPet"],
  ["GET", "/v1/pets/no-number", "getPet"],
  ["GET", "/v1/store/orders", "listOrders"],
  ["POST", "/v1/store/orders", "createOrder"],
  ["GET", "/v1/store/orders/7", "getOrder"],
  ["POST", "/v1/store/orders/7/complete", "completeOrder"],
  ["POST", "/v1/store/orders/7/cancel", "cancelOrder"],
  ["GET", "/readyz", "readyz"],
])("%s %s is %s", (method, path, name) => {
  expect(operationOf(method, path)).toBe(name)
})

it.each([
  ["DELETE", "/v1/pets"],
  ["POST", "/v1/pets/7"],
  ["GET", "/v1/pets/"],
  ["GET", "/v1/pets/7/more"],
  ["GET", "/v1/{}"],
  ["GET", "/v1/somewhere/else"],
])("%s %s has no name of its own: callers cannot make metrics grow", (method, path) => {
  expect(operationOf(method, path)).toBe("other")
})

it("counts the calls of getPet as deprecated, and of nothing else", () => {
  expect(["listPets", "createPet", "getPet", "listOrders"].filter(isDeprecated)).toEqual(["getPet"])
})
