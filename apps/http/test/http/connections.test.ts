/** Malformed messages and disconnecting clients, on the built service (specification 10.31 to 10.41). */
import { Caller, get } from "@petstore/harness/caller"
import { inMemory } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { afterAll, beforeAll, expect, it } from "vitest"

let service: Service
let port: number
let authorization: string

beforeAll(async () => {
  service = await startService(inMemory({ CORS_ORIGINS: "https://shop.example" }))
  port = Number(new URL(service.origin).port)
  authorization = `Authorization: Bearer ${service.key}`
})

afterAll(() => service?.stop())

const create = (framing: string, body: string): string =>
  ["POST /v1/pets HTTP/1.1", "Host: a", authorization, "Content-Type: application/json", framing, "", body].join("\r\n")

const pet = `{"name":"Bello","categoryId":1}`
const createPet = (): string => create(`Content-Length: ${pet.length}`, pet)

/** Sends bytes and reads until the service closes the connection. Returns each response's status and error code. */
const answersTo = async (bytes: string): Promise<ReadonlyArray<string>> => {
  const caller = await Caller.open(port)
  caller.send(bytes)
  await caller.ended
  return caller.responses.map((response) => response.replace(/^(201) .*/, "$1"))
}

// The service looks up a key on its first use, so the broken body arrives before a handler reads it.
it("the service sends one 400 for a request with a broken body, whether or not the body was read", async () => {
  const broken = create("Transfer-Encoding: chunked", "5\r\n{}\r\nzz\r\n")
  expect(await answersTo(broken)).toStrictEqual(["400 malformed_request"])
  expect(await answersTo(broken + createPet())).toStrictEqual(["400 malformed_request"])
  expect(await answersTo(createPet() + broken + createPet())).toStrictEqual(["201", "400 malformed_request"])
})

it("the service stops reading a body that is too large, and the client can read the 413", async () => {
  const caller = await Caller.open(port)
  caller.send(create("Content-Length: 10000000\r\nConnection: close", "x".repeat(3_000_000)))
  await caller.ended
  expect(caller.isReset).toBe(false)
  expect(caller.responses).toStrictEqual(["413 body_too_large"])
})

it("a page from an allowed origin can read a refusal, and a page from another origin cannot", async () => {
  const origin = "Origin: https://shop.example"
  const refused = [
    get("/v1/pets", origin, `X: ${"x".repeat(20_000)}`),
    get("/v1/pets", origin, "X : y"),
    get("/v1/pets", origin).replace("Host: a\r\n", ""),
    get("/v1/pets", origin, "Transfer-Encoding: gzip, chunked"),
    ["CONNECT a:1 HTTP/1.1", "Host: a:1", origin, "", ""].join("\r\n"),
  ]
  for (const bytes of refused) {
    const caller = await Caller.open(port)
    caller.send(bytes)
    await caller.ended
    expect(caller.received).toMatch(/^HTTP\/1\.1 4[\s\S]*\r\nAccess-Control-Allow-Origin: https:\/\/shop\.example\r\n/)
    expect(caller.received).toMatch(/\r\nVary: Origin\r\n/)
  }
  const blocked = await Caller.open(port)
  blocked.send(get("/v1/pets", "Origin: https://evil.example", "X : y"))
  await blocked.ended
  expect(blocked.received).not.toContain("Access-Control")
})
