/** A PostgreSQL server that may lose acknowledged writes: production refuses it, and other deployments log a warning. */
import { environmentIn, run } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"

/** Uses the server that the tests share. It syncs nothing, because its data never has to survive a crash. */
const environmentOf = async (deployment: string) =>
  environmentIn(temporaryFolder(), { DATABASE_URL: await newPostgresDatabase(), PETSTORE_ENV: deployment })

it("production refuses a server with fsync off, at startup with or without workers, and in a check", async () => {
  const environment = await environmentOf("production")
  const refused = await Promise.all([
    run(environment, "serve"),
    run({ ...environment, WORKERS: "2" }, "serve"),
    run(environment, "serve", "--check"),
  ])
  for (const { exitCode, stderr } of refused) {
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("runs with fsync = off") })
  }
})

it("staging logs one warning about a server with fsync off", async () => {
  const service = await serve(await environmentOf("staging"))
  await service.until(() => service.stdout.includes("fsync = off"), "the warning")
  const warnings = service.logLines().filter(({ msg }) => String(msg).includes("fsync = off"))
  expect(warnings).toMatchObject([{ level: "warn" }])
})
