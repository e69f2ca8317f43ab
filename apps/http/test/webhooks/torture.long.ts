/** No change is lost, invented or out of order at three failing endpoints while services are killed. */
import { environmentIn } from "@petstore/harness/command"
import { temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"
import { torture } from "./torture.js"

/** A campaign takes 20. */
const rounds = 3

const nothing = { missing: 0, invented: 0, disordered: 0 }

it("on SQLite, every change arrives in order while the service is killed", async () => {
  const folder = temporaryFolder()
  const environment = environmentIn(folder, { DATABASE_URL: `sqlite:${folder}/petstore.db` })
  const found = await torture(environment, rounds, 1)
  expect(found).toMatchObject({ ...nothing, doubledLater: 0 })
  expect(found.doubled).toBeLessThanOrEqual(3 * found.kills)
  expect(found.changes).toBeGreaterThan(rounds * 20)
})

it("on PostgreSQL, every change arrives in order while one of two services is killed or stopped", async () => {
  const environment = environmentIn(temporaryFolder(), { DATABASE_URL: await newPostgresDatabase() })
  const found = await torture(environment, rounds, 2)
  expect(found).toMatchObject(nothing)
  expect(found.doubled).toBeLessThanOrEqual(3 * found.kills)
  expect(found.changes).toBeGreaterThan(rounds * 20)
})
