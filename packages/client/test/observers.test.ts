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
  return { events, onRequest: note("request"), onResponse: note("response"), onRetry: note("retry"), onEnd: note("end") }
}

describe("observers", () => {
  it("see every request, response and retry of a call, with one request identifier", async () => {
    await using server = await startMisbehaving(drop, errorAnswer(503, "storage_unavailable"), answer(201, pet))
    const { events, ...observers } = watched()
    await createClient({ ...server, apiKey, ...observers }).createPet(newPet)
    expect(events.map(([name]) => name)).toStrictEqual([
      ...["request", "retry"],
      ...["request", "response", "retry"],
      ...["request", "response", "end"],
    ])
    const requestId = server.arrived[0]?.headers["x-request-id"]
    const durationMillis = expect.any(Number)
    const call = { method: "POST", url: `${server.baseUrl}/pets`, requestId }
    const sent = { ...call, durationMillis }
    expect(events.map(([, event]) => event)).toStrictEqual([
      { ...call, attempt: 1 },
      { ...sent, attempt: 1, code: "network", waitMillis: expect.any(Number) },
      { ...call, attempt: 2 },
      { ...sent, attempt: 2, status: 503 },
      { ...sent, attempt: 2, code: "storage_unavailable", waitMillis: expect.any(Number) },
      { ...call, attempt: 3 },
      { ...sent, attempt: 3, status: 201 },
      { ...sent, attempts: 3, error: undefined },
    ])
    expect(JSON.stringify(events)).not.toContain(apiKey)
  })

  it("see no retry after a final failure", async () => {
    await using server = await startMisbehaving(errorAnswer(400, "invalid_body"))
    const { events, ...observers } = watched()
    const error = await failureOf(createClient({ ...server, apiKey, ...observers }).createPet(newPet))
    expect(events.map(([name]) => name)).toStrictEqual(["request", "response", "end"])
    expect(events.at(-1)?.[1]).toMatchObject({ attempts: 1, error })
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

describe("the caller's own headers", () => {
  it("are sent with every request, those of a call in place of the client's", async () => {
    await using server = await startMisbehaving(drop, answer(201, pet), answer(201, pet))
    const client = createClient({ ...server, apiKey, headers: { "X-Shop": "main", Traceparent: "00-0" } })
    await client.createPet(newPet, { headers: { traceparent: "00-1" } })
    await client.createPet(newPet)
    const sent = server.arrived.map(({ headers }) => [headers["x-shop"], headers["traceparent"]])
    expect(sent).toStrictEqual([["main", "00-1"], ["main", "00-1"], ["main", "00-0"]]) // biome-ignore format: one row each
  })

  it("may name the call", async () => {
    await using server = await startMisbehaving(drop, answer(201, pet), answer(201, pet))
    const client = createClient({ ...server, apiKey })
    const named = await client.createPet(newPet, { headers: { "X-Request-ID": "delivery-7" } })
    const other = await client.createPet(newPet)
    expect(named.requestId).toBe("delivery-7")
    expect(other.requestId).toMatch(/^[0-9]+-[0-9]+$/)
    const ids = server.arrived.map(({ headers }) => headers["x-request-id"])
    expect(ids).toStrictEqual(["delivery-7", "delivery-7", other.requestId])
  })

  it.each(["authorization", "Idempotency-Key", "If-Match", "not a name"])("are refused with the name %s", async (name) => {
    await using server = await startMisbehaving()
    const headers = { [name]: "x" }
    expect(() => createClient({ ...server, apiKey, headers })).toThrow(TypeError)
    await expect(createClient({ ...server, apiKey }).createPet(newPet, { headers })).rejects.toThrow(TypeError)
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
