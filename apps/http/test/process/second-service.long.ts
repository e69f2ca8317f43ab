/** One process serves a SQLite or sql.js file. Another waits for it to stop, and is then refused. */
import { connect } from "node:net"
import { environmentIn, run } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { describe, expect, it, onTestFinished } from "vitest"

describe.each(["sqlite", "sqljs"])("a second service on a %s file", (adapter) => {
  const newStore = () => {
    const folder = temporaryFolder()
    return environmentIn(folder, { DATABASE_URL: `${adapter}:${folder}/petstore.db`, SHUTDOWN_MS: "2000" })
  }

  it("is refused after SHUTDOWN_MS, and the first service continues", async () => {
    const environment = newStore()
    const first = await serve(environment)
    const startedAt = performance.now()
    expect(await run(environment, "serve")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("petstore.db, and only one can: find it with fuser"),
    })
    expect(performance.now() - startedAt).toBeGreaterThan(2_000)
    expect(await run(environment, "keys", "list")).toMatchObject({ exitCode: 0 })
    expect((await fetch(`${first.origin}/readyz`)).status).toBe(200)
  })

  it.each([
    { signal: "SIGTERM", atLeastMillis: 900 },
    { signal: "SIGKILL", atLeastMillis: 0 },
  ] as const)("serves once the first has ended by $signal", async ({ signal, atLeastMillis }) => {
    const environment = newStore()
    const first = await serve(environment)
    // An incomplete request occupies the first service for half of SHUTDOWN_MS.
    const socket = connect(Number(new URL(first.origin).port), "127.0.0.1")
    socket.on("error", () => {})
    onTestFinished(() => void socket.destroy())
    socket.write(`POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${first.key}\r\nContent-Length: 9\r\n\r\n{`)
    await fetch(`${first.origin}/readyz`)
    const signalledAt = performance.now()
    first.signal(signal)
    const second = await serve({ ...environment, SHUTDOWN_MS: "10000" })
    expect(performance.now() - signalledAt).toBeGreaterThanOrEqual(atLeastMillis)
    expect(first.isRunning).toBe(false)
    expect((await fetch(`${second.baseUrl}/pets`, { headers: { authorization: `Bearer ${first.key}` } })).status).toBe(200)
  })
})
