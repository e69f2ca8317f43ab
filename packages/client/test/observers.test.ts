/** Tests observers, and functions that return the API key, with a misbehaving server. */
import { createClient } from "@petstore/client"
import { describe, expect, it } from "vitest"
import { failureOf } from "./failure.js"
import { answer, drop, errorAnswer, startMisbehaving } from "./misbehaving-server.js"

const pet = { id: 1, name: "Bello", categoryId: 2 }
const newPet = { name: "Bello", categoryId: 2n }
const apiKey = "pst_dev_x"

const watched = () => {
  const events: Array<readonly [string, object]> = []
  const note = (name: string) => (event: object) => void events.push([name, event])
  return { events, onRequest: note("request"), onResponse: note("response"), onRetry: note("retry") }
}

describe("observers", () => {
  it("see every request, response and retry of a call, with one request identifier", async () => {
    await using server = await startMisbehaving(drop, errorAnswer(503, "storage_unavailable"), answer(201, pet))
    const { events, ...observers } = watched()
    await createClient({ ...server, apiKey, ...observers }).createPet(newPet)
    expect(events.map(([name]) => name)).toStrictEqual([
      ...["request", "retry"],
      ...["request", "response", "retry"],
      ...["request", "response"],
    ])
    const requestId = server.arrived[0]?.headers["x-request-id"]
    const sent = { method: "POST", url: `${server.baseUrl}/pets`, requestId }
    expect(events.map(([, event]) => event)).toStrictEqual([
      { ...sent, attempt: 1 },
      { ...sent, attempt: 1, code: "network", waitMillis: expect.any(Number) },
      { ...sent, attempt: 2 },
      { ...sent, attempt: 2, status: 503 },
      { ...sent, attempt: 2, code: "storage_unavailable", waitMillis: expect.any(Number) },
      { ...sent, attempt: 3 },
      { ...sent, attempt: 3, status: 201 },
    ])
    expect(JSON.stringify(events)).not.toContain(apiKey)
  })

  it("see no retry after a final failure", async () => {
    await using server = await startMisbehaving(errorAnswer(400, "invalid_body"))
    const { events, ...observers } = watched()
    await failureOf(createClient({ ...server, apiKey, ...observers }).createPet(newPet))
    expect(events.map(([name]) => name)).toStrictEqual(["request", "response"])
  })

  it("end the call with the error that onRequest throws, before the request is sent", async () => {
    await using server = await startMisbehaving(answer(201, pet))
    const thrown = new Error("not this one")
    const onRequest = () => {
      throw thrown
    }
    await expect(createClient({ ...server, apiKey, onRequest }).createPet(newPet)).rejects.toBe(thrown)
    expect(server.arrived).toHaveLength(0)
  })
})

describe("a function that returns the API key", () => {
  it("is called once for each call, even if the call is retried", async () => {
    await using server = await startMisbehaving(drop, answer(201, pet), answer(201, pet))
    let asked = 0
    const client = createClient({ ...server, apiKey: async () => `pst_dev_${++asked}` })
    expect(asked).toBe(0)
    await client.createPet(newPet)
    await client.createPet(newPet)
    expect(server.arrived.map(({ headers }) => headers["authorization"])).toStrictEqual([
      "Bearer pst_dev_1",
      "Bearer pst_dev_1",
      "Bearer pst_dev_2",
    ])
  })

  it("ends the call with the error that it throws", async () => {
    await using server = await startMisbehaving()
    const thrown = new Error("The vault is closed.")
    const client = createClient({ ...server, apiKey: () => Promise.reject(thrown) })
    await expect(client.createPet(newPet)).rejects.toBe(thrown)
    expect(server.arrived).toHaveLength(0)
  })

  it("ends the call with a TypeError that hides the value if the value is not a key", async () => {
    await using server = await startMisbehaving()
    const failing = createClient({ ...server, apiKey: async () => "secret\nkey" }).createPet(newPet)
    await expect(failing).rejects.toThrow(/^(?!.*secret)apiKey must be the API key/)
    expect(server.arrived).toHaveLength(0)
  })
})
