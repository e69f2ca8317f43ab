/** Memory for responses: which requests may use it, and the expected length of the next response. */
import type { ApiKey } from "@petstore/core"
import { expect, it } from "vitest"
import type { Exchange } from "../../../src/http/exchange.js"
import { Memory, ResponseSize } from "../../../src/http/memory.js"
import { makeRoom } from "../../../src/http/steps/admit.js"
import { requestOf } from "../memory-socket.js"

/** A request for one operation, on a connection that counts the memory. */
const exchangeOn = (memory: Memory, size: ResponseSize): Exchange => {
  const { request, response } = requestOf()
  response.size = size
  response.owner = {
    answered: () => {},
    heading: () => {},
    holds: (one, bytes) => {
      memory.bytes += bytes - one.heldBytes
      one.heldBytes = bytes
    },
  }
  // Safe: the step uses only these members.
  return { req: request, res: response, apiKey: {} as ApiKey } as unknown as Exchange
}

it("makeRoom reserves memory for a response's bytes, and expects the next response to have the same length", () => {
  const memory = new Memory(1_000)
  const size = new ResponseSize()
  const room = makeRoom(memory)
  const [first, second, ...others] = Array.from({ length: 20 }, () => exchangeOn(memory, size))
  if (first === undefined || second === undefined) throw new Error("expected two exchanges")
  room(first)
  expect(memory.bytes).toBe(0)
  room(first, 100)
  room(first, 100)
  expect(memory.bytes).toBe(100)
  room(second)
  expect(memory.bytes).toBe(200)
  const refused = others.filter((one) => {
    try {
      room(one)
      return false
    } catch {
      return true
    }
  })
  expect(refused).toHaveLength(10)
  expect(memory.bytes).toBe(1_000)
  // A response that is shorter than expected needs no additional room.
  room(first, 50)
  expect(memory.bytes).toBe(1_000)
})
