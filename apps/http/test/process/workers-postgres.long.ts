/** Checks several processes on one PostgreSQL database, replaces them under load, and reads their metrics. */

import { environmentIn, run } from "@petstore/harness/command"
import { everyPetId, startLoad } from "@petstore/harness/load"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"

it("a service on PostgreSQL replaces its workers without a failed request or a lost pet, and reports its pool", async () => {
  const environment = environmentIn(temporaryFolder(), {
    DATABASE_URL: await newPostgresDatabase(),
    WORKERS: "2",
    ADMIN_PORT: "0",
  })
  expect((await run(environment, "serve", "--check")).stdout).toContain("the next start will bring it up to date")
  const service = await serve(environment)
  expect((await run(environment, "serve", "--check")).stdout).toContain("The store is ready")

  const load = startLoad(service.baseUrl, service.key, 8, 10)
  await service.until(() => load.answered() > 50, "the load")
  service.signal("SIGHUP")
  await service.until(() => service.logLines().some(({ msg }) => msg === "every worker was replaced"), "the new workers")
  const { created, failures } = await load.stop()
  expect(failures).toEqual([])
  const kept = await everyPetId(service.baseUrl, service.key)
  expect(created.filter((id) => !kept.has(id))).toEqual([])
  expect(kept.size).toBe(created.length)

  const metrics = await (await fetch(/Metrics are at (\S+)/.exec(service.stdout)?.[1] ?? "")).text()
  for (const worker of ["1", "2"]) {
    expect(metrics).toMatch(new RegExp(`^petstore_store_pool\\{of="connections",worker="${worker}"\\} [1-9]`, "m"))
  }
})
