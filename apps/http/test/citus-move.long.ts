/** Moves 200 000 pets to PostgreSQL, and then under load to Citus and to one more worker, as in `docs/scaling.md`. */
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { type Environment, environmentIn, run } from "@petstore/harness/command"
import type { Service } from "@petstore/harness/serving"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { type CitusCluster, newCitusCluster } from "@petstore/test/postgres"
import { beforeAll, describe, expect, it } from "vitest"
import { goesOn, Load, verify } from "./citus-load.js"
import { rowsOf } from "./rows-of.js"

const animals = 200_000

let cluster: CitusCluster

beforeAll(async () => {
  cluster = await newCitusCluster()
})

const good = async (environment: Environment, ...args: ReadonlyArray<string>): Promise<string> => {
  const { exitCode, stdout, stderr } = await run(environment, ...args)
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
  return stdout
}

const keyIn = async (environment: Environment): Promise<string> => {
  await good(environment, "accounts", "create", "caller")
  return String(JSON.parse(await good(environment, "keys", "create", "--account", "caller", "--json")).key)
}

const loadOn = async (environment: Environment, key: string) => {
  const service = await serve({ ...environment, LOG_LEVEL: "error" })
  const load = new Load(service.baseUrl, key)
  await goesOn(load)
  return { service, load }
}

const stop = async ({ service, load }: { readonly service: Service; readonly load: Load }) => {
  await load.stop()
  service.signal("SIGTERM")
  await service.ended
}

const writeCatalogue = async (file: string): Promise<void> => {
  const stream = createWriteStream(file)
  for (let n = 1; n <= animals; n += 1) {
    const row = `{"name":"Animal ${n}","categoryId":${n % 50},"status":"${n % 3 === 0 ? "sold" : "available"}"}\n`
    if (!stream.write(row)) await once(stream, "drain")
  }
  stream.end()
  await once(stream, "finish")
}

/** Fails if a client got a 5xx response other than 503, and shows the log lines that explain it. */
const expectNoFault = ({ service, load }: { readonly service: Service; readonly load: Load }): void => {
  const faults = service.logLines().filter(({ status }) => status !== 503)
  expect({ problems: load.problems, faults: load.problems.length === 0 ? [] : faults }).toStrictEqual({
    problems: [],
    faults: [],
  })
}

const count = async (): Promise<number> => Number((await rowsOf(cluster.url, "SELECT count(*) FROM pets"))[0]?.[0])

describe("200 000 pets", () => {
  it("move with their orders from SQLite to PostgreSQL, then to Citus, then to one more worker", async () => {
    const folder = temporaryFolder()
    const file = (name: string): string => join(folder, name)
    const onFile = environmentIn(folder, { PETSTORE_ENV: "staging" })
    const onPostgres = { ...onFile, DATABASE_URL: cluster.url }
    await writeCatalogue(file("catalogue.ndjson"))
    await good(onFile, "import", file("catalogue.ndjson"))
    // Clients send requests until the switch.
    const key = await keyIn(onFile)
    const old = await loadOn(onFile, key)
    await stop(old)

    // To PostgreSQL: a copy moves everything, the keys included.
    await good(onFile, "copy", "--to", cluster.url)
    expect(await good(onPostgres, "checksum")).toBe(await good(onFile, "checksum"))

    // To Citus: the same database, while the service uses it. Keys, claims and identifiers are preserved.
    const onOneServer = await loadOn(onPostgres, key)
    await good(onPostgres, "migrate", "--distribute")
    await goesOn(onOneServer.load)
    await stop(onOneServer)
    expectNoFault(onOneServer)

    // One more worker, while the database is in use.
    const spread = await loadOn(onPostgres, key)
    const port = await cluster.addWorker()
    await rowsOf(cluster.url.replace("petstore:petstore", "postgres:postgres"), `SELECT citus_add_node('127.0.0.1', ${port})`)
    await rowsOf(cluster.url, "SELECT citus_rebalance_start()")
    await rowsOf(cluster.url, "SELECT citus_rebalance_wait()")
    const shares = await rowsOf(
      cluster.url,
      "SELECT nodeport, count(*) FROM citus_shards WHERE table_name = 'pets'::regclass GROUP BY 1",
    )
    expect(new Map(shares.map(([node, shards]) => [Number(node), Number(shards)])).get(port)).toBeGreaterThanOrEqual(2)
    await goesOn(spread.load)
    await spread.load.stop()
    expect(await spread.load.allAreThere()).toBe(true)
    await stop(spread)
    expectNoFault(spread)

    expect(await count()).toBeGreaterThanOrEqual(animals + old.load.created.size + onOneServer.load.created.size)
    await verify(onOneServer.load, cluster)
    await verify(spread.load, cluster)
  })
})
