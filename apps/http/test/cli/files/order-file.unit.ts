import { decodeJson, encodeOrder, type Order, OrderId, PetId } from "@petstore/core"
import { toErrorObject } from "@petstore/core/contract"
import { Either, Option } from "effect"
import { describe, expect, it } from "vitest"
import { decodePastOrder } from "../../../src/cli/files/order-file.js"

const decoded = (text: string) => Either.flatMap(decodeJson(text), decodePastOrder)

const problemOf = (text: string): string | undefined =>
  Option.getOrUndefined(Option.map(Either.getLeft(decoded(text)), (failure) => toErrorObject(failure).message))

const createdAt = new Date("2026-01-02T03:04:05.678Z")
const updatedAt = new Date("2026-01-03T00:00:00.000Z")
const petId = PetId.make(2n ** 53n + 1n)

describe("decodePastOrder", () => {
  it("reads the output of encodeOrder, and ignores the order's identifier", () => {
    const order: Order = { id: OrderId.make(9n), petId, status: "completed", createdAt, updatedAt }
    expect(decoded(encodeOrder(order))).toStrictEqual(
      Either.right({ petId, status: "completed", timestamps: { createdAt, updatedAt } }),
    )
  })

  it("reads a petId alone as a placed order, and accepts a petId with a status", () => {
    expect(decoded('{"petId":9007199254740993}')).toStrictEqual(Either.right({ petId, status: "placed" }))
    expect(decoded('{"petId":9007199254740993,"status":"cancelled"}')).toStrictEqual(Either.right({ petId, status: "cancelled" }))
  })

  it.each([
    ["[]", "body: expected a JSON object, got an array"],
    ["{}", "petId: is required, got nothing"],
    [
      '{"petId":1,"status":"pst_live_0123456789abcdef"}',
      'status: expected one of placed, completed, cancelled, got "pst_live_***"',
    ],
    ['{"petId":1,"status":"sold"}', 'status: expected one of placed, completed, cancelled, got "sold"'],
    ['{"petId":1,"status":null}', "status: expected one of placed, completed, cancelled, got null"],
    [
      '{"petId":1,"createdAt":"2026-01-02","updatedAt":"2026-01-02T03:04:05.678Z"}',
      'createdAt: expected a timestamp such as 2026-01-02T03:04:05.678Z, got "2026-01-02"',
    ],
    [
      '{"petId":1,"createdAt":"2026-13-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.678Z"}',
      'createdAt: expected a timestamp such as 2026-01-02T03:04:05.678Z, got "2026-13-02T03:04:05.678Z"',
    ],
    [
      '{"petId":1,"createdAt":"2026-02-31T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.678Z"}',
      'createdAt: expected a timestamp such as 2026-01-02T03:04:05.678Z, got "2026-02-31T03:04:05.678Z"',
    ],
    [
      '{"petId":1,"createdAt":"2026-01-02T03:04:05.678Z"}',
      "updatedAt: expected a timestamp such as 2026-01-02T03:04:05.678Z, got nothing",
    ],
    [
      '{"petId":1,"updatedAt":"2026-01-02T03:04:05.678Z"}',
      "createdAt: expected a timestamp such as 2026-01-02T03:04:05.678Z, got nothing",
    ],
    [
      '{"petId":1,"createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.679Z"}',
      'updatedAt: expected the same timestamp as createdAt, because the status is placed, got "2026-01-02T03:04:05.679Z"',
    ],
  ])("refuses %s", (text, problem) => {
    expect(problemOf(text)).toBe(`${problem}.`)
  })
})
