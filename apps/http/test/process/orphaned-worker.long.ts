/** A worker whose primary has exited (sentence 15.5). This test passes connections to the worker, as the real primary does. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { type Environment, environmentIn, run } from "@petstore/harness/command"
import { temporaryFolder } from "@petstore/harness/testing"
import { describe, expect, it, onTestFinished } from "vitest"

const main = join(import.meta.dirname, "../../dist/main.js")

const startWorker = async (settings: Environment = {}) => {
  const environment = environmentIn(temporaryFolder(), { LOG_LEVEL: "fatal", ...settings })
  await run(environment, "accounts", "create", "orphan")
  const { stdout } = await run(environment, "keys", "create", "--account", "orphan", "--json")
  const worker = fork(main, ["worker"], { env: environment, execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] })
  const ended = new Promise<number | null>((resolve) => worker.once("exit", resolve))
  onTestFinished(async () => {
    worker.kill("SIGKILL")
    await ended
  })
  expect(await once(worker, "message")).toMatchObject([{ petstore: "ready" }, undefined])
  return {
    worker,
    key: String(JSON.parse(stdout).key),
    ended,
    /** Opens a client connection that the worker accepts. */
    connection: async () => {
      const listener = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1")
      await once(listener, "listening")
      const address = listener.address()
      const socket = connect(typeof address === "object" ? (address?.port ?? 0) : 0, "127.0.0.1")
      onTestFinished(() => void socket.destroy())
      const [accepted] = await once(listener, "connection")
      listener.close()
      const taken = once(worker, "message")
      worker.send({ petstore: "connection", number: 7 }, accepted, { keepOpen: true })
      expect(await taken).toMatchObject([{ petstore: "taken", number: 7 }, undefined])
      accepted.destroy()
      let received = ""
      socket.setEncoding("utf8").on("data", (text: string) => {
        received += text
      })
      const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
      return { socket, received: () => received, closed }
    },
  }
}

const createOf = (key: string, body: string): string =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

describe("a worker whose primary is gone", () => {
  it("finishes requests in flight and exits with code 1", async () => {
    const { worker, key, connection, ended } = await startWorker()
    const { socket, received, closed } = await connection()
    const request = createOf(key, `{"name":"Bello","categoryId":1}`)
    socket.write(request.slice(0, -5))
    worker.disconnect()
    await new Promise((resolve) => setTimeout(resolve, 100))
    socket.write(request.slice(-5))
    await closed
    expect(received()).toMatch(/^HTTP\/1\.1 201 [\s\S]*"name":"Bello"/)
    expect(await ended).toBe(1)
  })

  it("responds to a request that was waiting for the primary to count it for the rate limit", async () => {
    const { worker, key, connection, ended } = await startWorker({ RATE_LIMIT: "100" })
    const { socket, received, closed } = await connection()
    const asked = once(worker, "message")
    socket.write(createOf(key, `{"name":"Bello","categoryId":1}`))
    expect(await asked).toMatchObject([{ petstore: "count" }, undefined])
    worker.disconnect()
    await closed
    expect(received()).toMatch(/^HTTP\/1\.1 201 [\s\S]*"name":"Bello"/)
    expect(await ended).toBe(1)
  })

  it("exits with code 1 even if it has served no client yet", async () => {
    const { worker, ended } = await startWorker()
    worker.disconnect()
    expect(await ended).toBe(1)
  })
})

it("petstore worker exits with code 2 if no primary has started it", async () => {
  expect(await run(environmentIn(temporaryFolder()), "worker")).toMatchObject({
    exitCode: 2,
    stderr: "petstore: only petstore serve starts workers. Set WORKERS.\n",
  })
})
