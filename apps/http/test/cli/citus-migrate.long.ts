/** `petstore migrate --distribute` on a Citus cluster, with existing rows and with concurrent runs. */
import { environmentIn, run } from "@petstore/harness/command"
import { temporaryFolder } from "@petstore/harness/testing"
import { newCitusCluster, newCitusDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"
import { rowsOf } from "../rows-of.js"

const tables = "SELECT table_name::text, citus_table_type, shard_count FROM citus_tables ORDER BY 1"

const spread = [
  ["accounts", "local", "1"],
  ["api_keys", "local", "1"],
  ["categories", "reference", "1"],
  ["change_actors", "local", "1"],
  ["changes", "distributed", "4"],
  ["deprecated_calls", "local", "1"],
  ["idempotency_keys", "distributed", "4"],
  ["inventory", "distributed", "4"],
  ["orders", "distributed", "4"],
  ["pets", "distributed", "4"],
  ["petstore_processes", "local", "1"],
  ["petstore_schema", "local", "1"],
  ["removed_changes", "distributed", "4"],
  ["webhook_deliveries", "local", "1"],
  ["webhooks", "local", "1"],
]

it("concurrent runs distribute a filled store once, and later runs change nothing", async () => {
  const url = await newCitusDatabase()
  const environment = environmentIn(temporaryFolder(), { DATABASE_URL: url })
  expect((await run(environment, "migrate")).exitCode).toBe(0)
  // Citus distributes tables only on request.
  expect(await rowsOf(url, tables)).toStrictEqual([])
  await rowsOf(url, "INSERT INTO pets (name, category_id) SELECT 'Pet ' || n, n FROM generate_series(1, 5000) n")

  const distribute = () => run(environment, "migrate", "--distribute", "--shards", "4", "--json")
  for (const { exitCode, stdout, stderr } of await Promise.all([distribute(), distribute(), distribute()])) {
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" })
    expect(JSON.parse(stdout)).toStrictEqual({ migrated: true, workers: 2, shards: 4 })
  }
  expect(await rowsOf(url, tables)).toStrictEqual(spread)
  const content = "SELECT count(*), sum(id), sum(category_id) FROM pets"
  const all = [["5000", "12502500", "12502500"]]
  expect(await rowsOf(url, content)).toStrictEqual(all)
  // The coordinator does not keep a copy of the moved rows.
  expect(await rowsOf(url, "SELECT pg_relation_size('pets')")).toStrictEqual([["0"]])

  const again = await run(environment, "migrate", "--distribute", "--shards", "16")
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("each table in 4 shards") })
  expect(await rowsOf(url, tables)).toStrictEqual(spread)
  expect(await rowsOf(url, "SELECT claimed_until FROM petstore_schema")).toStrictEqual([[null]])
  // The next pet's identifier continues the sequence.
  expect(await rowsOf(url, "INSERT INTO pets (name, category_id) VALUES ('One more', 1) RETURNING id")).toStrictEqual([["5001"]])
  expect(await rowsOf(url, content)).toStrictEqual([["5001", "12507501", "12502501"]])
})

it("a run reports what the cluster lacks, and distributes the store after the suggested commands have run", async () => {
  const { url, ports } = await newCitusCluster()
  const [coordinator, ...workers] = ports
  const distribute = (databaseUrl = url) =>
    run(environmentIn(temporaryFolder(), { DATABASE_URL: databaseUrl }), "migrate", "--distribute")
  const administrator = new URL(url)
  administrator.username = "postgres"
  const administer = (text: string) => rowsOf(administrator.href, text)
  const refusal = async (databaseUrl = url): Promise<string> => {
    const { exitCode, stderr } = await distribute(databaseUrl)
    expect(exitCode).toBe(1)
    return stderr
  }

  const toWorker = new URL(url)
  toWorker.port = String(workers[0])
  expect(await refusal(toWorker.href)).toContain("points to a Citus worker. Use the coordinator's address.")
  for (const port of [...workers, coordinator]) await administer(`SELECT citus_remove_node('127.0.0.1', ${port})`)
  /** Runs the command that a refusal suggests. */
  const follow = async (said: string, port: number | undefined) => {
    const [, statement = ""] = /Run: (SELECT .*)/.exec(said) ?? []
    await administer(statement.replace("'HOST', PORT", `'127.0.0.1', ${port}`))
  }
  const noCoordinator = await refusal()
  expect(noCoordinator).toContain("The address of the Citus coordinator is not set. Run: SELECT citus_set_coordinator_host(")
  await follow(noCoordinator, coordinator)
  const noWorker = await refusal()
  expect(noWorker).toContain("Citus has no workers. Run: SELECT citus_add_node(")
  for (const port of workers) await follow(noWorker, port)
  expect(await distribute()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("over 2 workers") })
})
