/** `petstore migrate --distribute` on a Citus cluster: only when told, once, whoever comes at once, and with the rows that are there. */

import { environmentIn, run } from "@petstore/harness/command"
import { temporaryFolder } from "@petstore/harness/testing"
import { newCitusDatabase } from "@petstore/test/postgres"
import { Client } from "pg"
import { expect, it } from "vitest"

const rowsOf = async (url: string, text: string): Promise<ReadonlyArray<unknown>> => {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query({ text, rowMode: "array" })).rows
  } finally {
    await client.end()
  }
}

const tables = "SELECT table_name::text, citus_table_type, shard_count FROM citus_tables ORDER BY 1"

const spread = [
  ["accounts", "local", "1"],
  ["api_keys", "local", "1"],
  ["deprecated_calls", "local", "1"],
  ["idempotency_keys", "distributed", "4"],
  ["orders", "distributed", "4"],
  ["pets", "distributed", "4"],
  ["petstore_schema", "local", "1"],
]

it("spreads a store that has rows, however many run it at once, and leaves it alone when it runs again", async () => {
  const url = await newCitusDatabase()
  const environment = environmentIn(temporaryFolder(), { DATABASE_URL: url })
  expect((await run(environment, "migrate")).exitCode).toBe(0)
  // Seeing Citus is no reason.
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
  // What was moved is not kept twice.
  expect(await rowsOf(url, "SELECT pg_relation_size('pets')")).toStrictEqual([["0"]])

  const again = await run(environment, "migrate", "--distribute", "--shards", "16")
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("in 4 shards each") })
  expect(await rowsOf(url, tables)).toStrictEqual(spread)
  expect(await rowsOf(url, "SELECT claimed_until FROM petstore_schema")).toStrictEqual([[null]])
  // The next animal follows the last one.
  expect(await rowsOf(url, "INSERT INTO pets (name, category_id) VALUES ('One more', 1) RETURNING id")).toStrictEqual([["5001"]])
  expect(await rowsOf(url, content)).toStrictEqual([["5001", "12507501", "12502501"]])
})
