import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { maxInt64, minInt64 } from "../../src/json/int64.js"
import { decodeJson } from "../../src/json/json.js"
import { encodeOrder, encodeOrders, type Order } from "../../src/orders/order.js"
import { decodeNewOrder, decodeOrder } from "../../src/orders/order-decoders.js"
import { bodyProblems } from "../problems.js"

const decoded = (text: string) => Either.flatMap(decodeJson(text), decodeNewOrder)

const petIdRule = "expected an integer from -9223372036854775808 to 9223372036854775807"

const problems = (text: string) => bodyProblems(decoded(text))

const order: Order = {
  id: maxInt64,
  petId: minInt64,
  status: "completed",
  createdAt: new Date("2026-01-02T03:04:05.006Z"),
  updatedAt: new Date("2026-01-02T03:04:05.600Z"),
}

describe("decodeNewOrder", () => {
  it.each([
    ["7", 7n],
    ["1.0", 1n],
    ["1e2", 100n],
    ["9007199254740993", 9007199254740993n],
    ["9223372036854775807", maxInt64],
    ["-9223372036854775808", minInt64],
  ])("accepts the petId %s", (text, petId) => {
    expect(decoded(`{"petId": ${text}}`)).toStrictEqual(Either.right({ petId }))
  })

  it("ignores unknown members, such as id and status, and uses the last value of duplicate keys", () => {
    expect(decoded('{"id": 5, "status": "completed", "petId": "x", "__proto__": {}, "petId": 7}')).toStrictEqual(
      Either.right({ petId: 7n }),
    )
  })

  it("requires a petId", () => {
    expect(problems("{}")).toStrictEqual(["petId: is required, got nothing"])
    expect(problems('{"__proto__": {"petId": 7}}')).toStrictEqual(["petId: is required, got nothing"])
  })

  it.each([
    ["1.5", "1.5"],
    ["9223372036854775808", "9223372036854775808"],
    ['"7"', '"7"'],
    ["null", "null"],
    ["[7]", "an array"],
  ])("refuses the petId %s and shows it", (text, shown) => {
    expect(problems(`{"petId": ${text}}`)).toStrictEqual([`petId: ${petIdRule}, got ${shown}`])
  })

  it.each([
    ["[]", "an array"],
    ["null", "null"],
    ["7", "7"],
  ])("refuses the body %s, which is not an object", (text, shown) => {
    expect(problems(text)).toStrictEqual([`body: expected a JSON object, got ${shown}`])
  })
})

describe("encodeOrder and encodeOrders", () => {
  it("write exact integers, and timestamps in UTC to the millisecond", () => {
    expect(encodeOrder(order)).toBe(
      '{"id":9223372036854775807,"petId":-9223372036854775808,"status":"completed","createdAt":"2026-01-02T03:04:05.006Z","updatedAt":"2026-01-02T03:04:05.600Z"}',
    )
  })

  it("write lists as arrays", () => {
    expect([[], [order], [order, order]].map(encodeOrders)).toStrictEqual([
      "[]",
      `[${encodeOrder(order)}]`,
      `[${encodeOrder(order)},${encodeOrder(order)}]`,
    ])
  })
})

describe("decodeOrder", () => {
  const read = (text: string) => Either.flatMap(decodeJson(text), decodeOrder)

  it("reads what encodeOrder writes", () => {
    expect(read(encodeOrder(order))).toStrictEqual(Either.right(order))
  })

  it.each(["yesterday", "2026-02-30T00:00:00.000Z", "2026-01-02T03:04:05Z"])("refuses the timestamp %j", (text) => {
    expect(bodyProblems(read(encodeOrder(order).replace("2026-01-02T03:04:05.006Z", text)))).toStrictEqual([
      `createdAt: expected a timestamp such as 2026-01-31T12:00:00.000Z, got "${text}"`,
    ])
  })
})
