/** A Citus worker dies or hangs under load: no acknowledged write is lost or duplicated, and the service recovers by itself. */
import { setTimeout as sleep } from "node:timers/promises"
import { environmentIn, run } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { type CitusCluster, newCitusCluster } from "@petstore/test/postgres"
import { beforeAll, describe, expect, it } from "vitest"
import { goesOn, Load, verify } from "./citus-load.js"

let cluster: CitusCluster

beforeAll(async () => {
  cluster = await newCitusCluster()
})

/** The maximum wait, in ms. Statements time out after 1.5 s, but a busy machine needs longer. */
const soonMillis = 15_000

const start = async () => {
  const environment = environmentIn(temporaryFolder(), {
    DATABASE_URL: cluster.url,
    POSTGRES_STATEMENT_TIMEOUT_MS: "1500",
    PETSTORE_ENV: "staging",
    ADMIN_PORT: "0",
  })
  expect((await run(environment, "migrate", "--distribute")).exitCode).toBe(0)
  const account = `caller ${performance.now()}`
  await run(environment, "accounts", "create", account)
  const { key } = JSON.parse((await run(environment, "keys", "create", "--account", account, "--json")).stdout)
  const service = await serve({ ...environment, LOG_LEVEL: "silent" })
  await service.until(() => service.stdout.includes("/metrics"), "the metrics address")
  const metrics = /http[^\s"]+\/metrics/.exec(service.stdout)?.[0] ?? ""
  return {
    environment,
    load: new Load(service.baseUrl, String(key)),
    metric: async (node: number) => {
      const text = await (await fetch(metrics)).text()
      return new RegExp(`petstore_store_node_up\\{node="127.0.0.1:${cluster.ports[node]}"\\} (\\d)`).exec(text)?.[1]
    },
    ready: async () => (await fetch(service.baseUrl.replace(/v1$/, "readyz"))).status,
  }
}

describe("while a worker is down", () => {
  it("only requests that need a killed worker fail, and no acknowledged write is lost", async () => {
    const { environment, load, metric, ready } = await start()
    await goesOn(load)
    for (const worker of [1, 2]) await expect.poll(() => metric(worker)).toBe("1")
    await cluster.kill(1)
    const killedAt = performance.now()
    load.restart()

    // Requests that do not need the worker succeed, other requests are refused quickly, and the service stays ready.
    await expect.poll(ready).toBe(200)
    await expect.poll(() => metric(1)).toBe("0")
    await expect.poll(() => metric(2)).toBe("1")
    const created = await run(environment, "accounts", "create", "while the worker is down")
    expect(created.exitCode).toBe(0)
    const other = JSON.parse((await run(environment, "keys", "create", "--account", "while the worker is down", "--json")).stdout)
    expect((await run(environment, "keys", "revoke", other.id)).exitCode).toBe(0)
    await sleep(Math.max(0, 20_000 - (performance.now() - killedAt)))
    await expect.poll(() => load.answered.created).toBeGreaterThan(20)
    await expect.poll(() => load.answered.read).toBeGreaterThan(20)
    await expect.poll(() => load.answered.refused).toBeGreaterThan(0)
    await load.responses()
    expect(load.slowestMillis).toBeLessThan(soonMillis)
    await expect.poll(ready).toBe(200)

    await cluster.start(1)
    await expect.poll(() => metric(1)).toBe("1")
    await goesOn(load)
    await load.stop()
    expect(await load.allAreThere()).toBe(true)
    expect(load.problems).toStrictEqual([])
    await verify(load, cluster)
  })

  it("requests that need a hanging worker get a response within 15 s, and no acknowledged write is lost", async () => {
    const { load, metric, ready } = await start()
    await goesOn(load)
    await cluster.freeze(2)
    load.restart()
    await expect.poll(() => metric(2)).toBe("0")
    await expect.poll(() => metric(1)).toBe("1")
    await expect.poll(() => load.answered.refused).toBeGreaterThan(0)
    // The worker still hangs.
    await load.responses()
    expect(load.slowestMillis).toBeLessThan(soonMillis)
    await cluster.thaw(2)
    await expect.poll(ready).toBe(200)
    await expect.poll(() => metric(2)).toBe("1")
    await goesOn(load)
    await load.stop()
    expect(await load.allAreThere()).toBe(true)
    expect(load.problems).toStrictEqual([])
    await verify(load, cluster)
  })

  it("/readyz returns 503 only while no worker responds", async () => {
    const { load, ready } = await start()
    await load.stop()
    await cluster.kill(1)
    await expect.poll(ready).toBe(200)
    await cluster.kill(2)
    await expect.poll(ready).toBe(503)
    await cluster.start(2)
    await expect.poll(ready).toBe(200)
    await cluster.start(1)
  })
})
