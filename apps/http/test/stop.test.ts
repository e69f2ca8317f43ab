/** How the service stops (sentence 15.1). */
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { createKey, petstore, startServing, TemporaryStore } from "@petstore/conformance/serving"
import { afterAll, beforeAll, expect, it } from "vitest"

const store = new TemporaryStore()
let key: string

beforeAll(async () => {
  await petstore(store.environment, "accounts", "create", "stop")
  key = (await createKey(store.environment, "stop")).key
})

afterAll(() => store.remove())

/** Waits until what the socket received matches. */
const received = (socket: Socket, expected: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const take = (bytes: Buffer) => {
      text += bytes.toString()
      if (!expected.test(text)) return
      socket.off("data", take)
      resolve(text)
    }
    socket.on("data", take)
    socket.once("close", () => reject(new Error(`closed after ${JSON.stringify(text)}`)))
    socket.once("error", reject)
  })

const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      resolve(false)
    })
    socket.once("error", () => resolve(true))
  })

it("answers what is in flight, refuses new connections and ends with 0", async () => {
  const serving = await startServing(store.environment, "petstore", "serve")
  const { host, port } = new URL(serving.url)
  const body = `{"name":"in flight","categoryId":1}`
  const socket = connect(Number(port), "127.0.0.1")
  const head = [
    "POST /v1/pets HTTP/1.1",
    `Host: ${host}`,
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Expect: 100-continue",
    "",
    "",
  ]
  const goOn = received(socket, /^HTTP\/1\.1 100 .*\r\n\r\n$/)
  socket.write(head.join("\r\n"))
  await goOn

  // Whoever is cut off gets the reason in place of an answer, and fails the comparison below.
  const answer = received(socket, /\r\n\r\n\{.*\}$/).catch(String)
  const ended = serving.stop()
  while (!(await isRefused(Number(port)))) await sleep(5)
  socket.write(body)
  expect(await answer).toMatch(/^HTTP\/1\.1 201 [\s\S]*"name":"in flight"/)
  expect(await ended).toBe(0)
})
