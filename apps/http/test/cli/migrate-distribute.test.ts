/** Refusals by `petstore migrate --distribute`. `citus-migrate.long.ts` distributes a store, which needs a Citus cluster. */

import { environmentIn, run } from "@petstore/harness/command"
import { temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"

it("migrate --distribute refuses a store that is not PostgreSQL, a server without Citus, and invalid options", async () => {
  const environment = environmentIn(temporaryFolder())
  const onPostgres = { ...environment, DATABASE_URL: await newPostgresDatabase() }
  const distribute = ["migrate", "--distribute"]
  const [onFile, withoutCitus, tooMany, alone] = await Promise.all([
    run(environment, ...distribute),
    run(onPostgres, ...distribute),
    run(onPostgres, ...distribute, "--shards", "0"),
    run(onPostgres, "migrate", "--shards", "4"),
  ])
  expect(onFile).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Only a PostgreSQL store can be distributed") })
  expect(withoutCitus).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Citus is not installed in the database") })
  expect(tooMany).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("a whole number from 1 to 1024") })
  expect(alone).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("pass both") })
})
