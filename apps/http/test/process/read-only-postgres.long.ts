/** Tests `/readyz` and the doctor of a service whose PostgreSQL server temporarily refuses writes. */
import { createKey, environmentOf, petstore, run } from "@petstore/harness/command"
import { startService } from "@petstore/harness/serving"
import { newPostgresServer } from "@petstore/test/postgres"
import { expect, it } from "vitest"
import { rowsOf } from "../rows-of.js"

it("a service stops being ready 10 to 20 s after writes fail, serves reads, and is ready once a write succeeds", async () => {
  const server = await newPostgresServer()
  const environment = environmentOf({ DATABASE_URL: server.url, PETSTORE_ENV: "staging", LOG_LEVEL: "silent" })
  await petstore(environment, "accounts", "create", "caller")
  const { key } = await createKey(environment, "caller")
  const service = await startService(environment)
  const headers = { authorization: `Bearer ${key}` }
  const statusOf = async (path: string) => (await fetch(new URL(path, service.baseUrl), { headers })).status
  const readOnly = async (value: "on" | "off") => {
    await rowsOf(server.url, `ALTER SYSTEM SET default_transaction_read_only = ${value}`)
    await rowsOf(server.url, "SELECT pg_reload_conf()")
  }
  try {
    const rows = "SELECT count(*) FROM petstore_processes WHERE id <> 'name words'"
    await expect.poll(() => rowsOf(server.url, rows)).toStrictEqual([["1"]])
    await readOnly("on")
    const beganMillis = performance.now()
    await expect.poll(() => statusOf("/readyz"), { interval: 100 }).toBe(503)
    expect(performance.now() - beganMillis).toBeLessThan(20_000)
    expect(performance.now() - beganMillis).toBeGreaterThan(10_000)
    expect(await statusOf("/v1/pets")).toBe(200)
    expect(await run(environment, "doctor")).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining("does not accept writes"),
    })
    await readOnly("off")
    await expect.poll(() => statusOf("/readyz"), { interval: 100 }).toBe(200)
    expect(await rowsOf(server.url, rows)).toStrictEqual([["1"]])
  } finally {
    await service.stop()
    await server.kill()
  }
})
