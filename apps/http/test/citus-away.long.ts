/** A worker of a Citus cluster that dies or says nothing under load: nothing acknowledged is lost or doubled, and all comes back by itself. */
import { setTimeout as sleep } from "node:timers/promises"
import { type Environment, environmentIn, run } from "@petstore/harness/command"
import type { Service } from "@petstore/harness/serving"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { type CitusCluster, newCitusCluster } from "@petstore/test/postgres"
import { beforeAll, describe, expect, it } from "vitest"
import { goesOn, Load, verify } from "./citus-load.js"

let cluster: CitusCluster

beforeAll(async () => {
  cluster = await newCitusCluster()
})

interface Place {
  readonly environment: Environment
  readonly service: Service
  readonly load: Load
  readonly metric: (node: number) => Promise<string | undefined>
  readonly ready: () => Promise<number>
}

const start = async (): Promise<Place> => {
  const environment = environmentIn(temporaryFolder(), { DATABASE_URL: cluster.url, PETSTORE_ENV: "staging", ADMIN_PORT: "0" })
  expect((await run(environment, "migrate", "--distribute")).exitCode).toBe(0)
  const account = `caller ${performance.now()}`
  await run(environment, "accounts", "create", account)
  const { key } = JSON.parse((await run(environment, "keys", "create", "--account", account, "--json")).stdout)
  const service = await serve({ ...environment, LOG_LEVEL: "silent" })
  await service.until(() => service.stdout.includes("/metrics"), "the address of the metrics")
  const metrics = /http[^\s"]+\/metrics/.exec(service.stdout)?.[0] ?? ""
  return {
    environment,
    service,
    load: new Load(service.baseUrl, String(key)),
    metric: async (node) => {
      const text = await (await fetch(metrics)).text()
      return new RegExp(`petstore_store_node_up\\{node="127.0.0.1:${cluster.ports[node]}"\\} (\\d)`).exec(text)?.[1]
    },
    ready: async () => (await fetch(service.baseUrl.replace(/v1$/, "readyz"))).status,
  }
}

describe("a worker", () => {
  it("that is killed under load takes only what needs it with it, and nothing that was acknowledged", {
    timeout: 300_000,
  }, async () => {
    const { environment, load, metric, ready } = await start()
    await goesOn(load)
    expect([await metric(1), await metric(2)]).toStrictEqual(["1", "1"])
    await cluster.kill(1)
    const awayMillis = performance.now()
    load.restart()

    // What does not need it is answered, what does is refused soon, and the service is worth asking.
    expect(await ready()).toBe(200)
    await expect.poll(() => metric(1)).toBe("0")
    expect(await metric(2)).toBe("1")
    const created = await run(environment, "accounts", "create", "while it is away")
    expect(created.exitCode).toBe(0)
    const other = JSON.parse((await run(environment, "keys", "create", "--account", "while it is away", "--json")).stdout)
    expect((await run(environment, "keys", "revoke", other.id)).exitCode).toBe(0)
    await sleep(Math.max(0, 20_000 - (performance.now() - awayMillis)))
    expect(load.answered.created).toBeGreaterThan(20)
    expect(load.answered.read).toBeGreaterThan(20)
    expect(load.answered.refused).toBeGreaterThan(0)
    expect(load.slowestMillis).toBeLessThan(2_000)
    expect(await ready()).toBe(200)

    await cluster.start(1)
    const backMillis = performance.now()
    await expect.poll(() => metric(1), { timeout: 10_000 }).toBe("1")
    await goesOn(load)
    await load.stop()
    expect(await load.allAreThere()).toBe(true)
    expect(performance.now() - backMillis).toBeLessThan(30_000)
    expect(load.problems).toStrictEqual([])
    await verify(load, cluster)
  })

  it("that says nothing makes callers wait no longer than a statement may take, and loses nothing", {
    timeout: 300_000,
  }, async () => {
    const { load, metric, ready } = await start()
    await goesOn(load)
    await cluster.freeze(2)
    load.restart()
    await expect.poll(() => metric(2), { timeout: 10_000 }).toBe("0")
    expect(await metric(1)).toBe("1")
    await sleep(3_000)
    expect(load.answered.refused).toBeGreaterThan(0)
    expect(load.slowestMillis).toBeLessThan(3_000)
    await cluster.thaw(2)
    await expect.poll(ready, { timeout: 10_000 }).toBe(200)
    await expect.poll(() => metric(2), { timeout: 10_000 }).toBe("1")
    await goesOn(load)
    await load.stop()
    expect(await load.allAreThere()).toBe(true)
    expect(load.problems).toStrictEqual([])
    await verify(load, cluster)
  })

  it("alone can be spared: /readyz is 503 only while none of them answers", { timeout: 300_000 }, async () => {
    const { load, ready } = await start()
    await load.stop()
    await cluster.kill(1)
    expect(await ready()).toBe(200)
    await cluster.kill(2)
    await expect.poll(ready).toBe(503)
    await cluster.start(2)
    await expect.poll(ready, { timeout: 10_000 }).toBe(200)
    await cluster.start(1)
  })
})
