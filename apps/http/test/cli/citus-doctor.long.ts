/** `petstore doctor` and `petstore keys rotate` on a Citus cluster, while all nodes run and while a worker is down. */
import { environmentIn, run } from "@petstore/harness/command"
import { temporaryFolder } from "@petstore/harness/testing"
import { newCitusCluster } from "@petstore/test/postgres"
import { Client } from "pg"
import { expect, it } from "vitest"

it("doctor names the node that does not respond, and keys rotate still works", { timeout: 300_000 }, async () => {
  const cluster = await newCitusCluster()
  const environment = environmentIn(temporaryFolder(), { DATABASE_URL: cluster.url, PETSTORE_ENV: "staging", PORT: "0" })
  const json = async (...words: ReadonlyArray<string>) => JSON.parse((await run(environment, ...words, "--json")).stdout)
  await run(environment, "migrate", "--distribute")
  await run(environment, "accounts", "create", "shop")
  const first = await json("keys", "create", "--account", "shop")

  const about = async (what: string) =>
    (await json("doctor"))
      .filter(({ about }: { about: string }) => about === what)
      .map(({ state, finding, remedy }: Record<string, unknown>) => [state, finding, remedy])
  const [, one, other] = cluster.ports.map((port) => `127.0.0.1:${port}`)
  const up = (node: string | undefined) => ["ok", `${node} responds to the coordinator.`, null]
  const remedy =
    "Start PostgreSQL there. On the coordinator, SELECT * FROM citus_check_cluster_node_health() shows which connections work."
  const down = (node: string | undefined) => [
    ...["problem", `${node} does not respond to the coordinator: its rows cannot be read.`],
    remedy,
  ]
  expect(await about("node")).toStrictEqual([up(one), up(other)])
  expect(await about("durability")).toStrictEqual([
    ["ok", "According to its settings, the server keeps acknowledged writes.", null],
  ])

  await cluster.kill(2)
  expect(await about("node")).toStrictEqual([up(one), down(other)])
  expect((await run(environment, "doctor")).exitCode).toBe(1)
  const { former } = await json("keys", "rotate", first.id)
  expect(former).toMatchObject({ id: first.id, expiresAt: expect.any(String) })
  expect((await json("keys", "list")).map(({ id }: { id: string }) => id)).toHaveLength(2)
  const admin = new Client(cluster.url)
  await admin.connect()
  const [, statement = ""] = /(SELECT .*?) shows/.exec(remedy) ?? []
  const { rows } = await admin.query(statement)
  await admin.end()
  expect(rows.some(({ from_nodeport, result }) => `127.0.0.1:${from_nodeport}` === other && result !== true)).toBe(true)

  await cluster.start(2)
  expect(await about("node")).toStrictEqual([up(one), up(other)])
  await cluster.freeze(1)
  expect(await about("node")).toStrictEqual([down(one), up(other)])
  await cluster.thaw(1)
})
