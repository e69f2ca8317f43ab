/** An import into a SQLite file leaves the lock to the service's clients: none gets 503, and they keep at least half of their rate. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "@petstore/harness/client"
import { environmentIn, run } from "@petstore/harness/command"
import { keepBusy } from "@petstore/harness/load"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

/** The time without an import, in ms, before and after it. */
const aloneMillis = 2_000

const rows = 1_000_000

it("clients that create pets during an import get no 503, and keep at least half of their rate", async () => {
  const folder = temporaryFolder()
  const environment = environmentIn(folder, { LOG_LEVEL: "silent" })
  const service = await serve(environment)
  const file = join(folder, "pets.csv")
  writeFileSync(file, `name,categoryId\n${Array.from({ length: rows }, (_, row) => `Bello ${row},${row % 50}\n`).join("")}`)

  const failures: Array<string> = []
  let created = 0
  const { key, baseUrl } = service
  const clients = Array.from({ length: 16 }, () => new Client(baseUrl, key))
  // The pause leaves processor time to the import, so that the clients mostly wait for the lock.
  const callers = clients.map((client) => async () => {
    const { status, text } = await client.send({ method: "POST", body: '{"name":"Bello","categoryId":1}' })
    if (status === 201) created += 1
    else failures.push(`${status} ${text}`)
  })
  const load = keepBusy(callers, 2)
  const rateDuring = async (work: Promise<unknown>) => {
    const [before, startedAt] = [created, performance.now()]
    await work
    return (created - before) / (performance.now() - startedAt)
  }

  const before = await rateDuring(sleep(aloneMillis))
  const importing = run(environment, "import", file, "--json")
  const beside = await rateDuring(importing)
  const after = await rateDuring(sleep(aloneMillis))
  await load.stop()
  for (const client of clients) client.close()
  expect(JSON.parse((await importing).stdout)).toMatchObject({ read: rows, kept: rows })
  expect(failures).toStrictEqual([])
  expect((2 * beside) / (before + after)).toBeGreaterThanOrEqual(0.5)
})
