/** A store for the bench: our own schema, an account with a key, and as many animals as asked for. */
import { execFileSync } from "node:child_process"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { CredentialRepository, createAccount, createApiKey } from "@petstore/core"
import { decodeDatabaseUrl, nodeCryptography, storage } from "@petstore/storage"
import { startServer } from "@petstore/test/postgres-server"
import { Effect, Layer, Option } from "effect"
import { Client } from "pg"

/** Every fourth animal has no status, and the others take turns. */
const statusOf = `CASE n % 4 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' WHEN 2 THEN 'sold' END`

/** Brings a store up to date and answers an API key of it. */
const makeKey = async (databaseUrl: string): Promise<string> => {
  const url = Option.getOrThrow(decodeDatabaseUrl(databaseUrl))
  const key = await Effect.runPromise(
    Effect.gen(function* () {
      yield* CredentialRepository
      yield* createAccount("bench")
      return yield* createApiKey({ accountName: "bench", deployment: "development", lifetimeMillis: Option.none() })
    }).pipe(Effect.provide(Layer.merge(storage(url, { migrate: true }), nodeCryptography))),
  )
  return key.secret
}

/** The same by the command of another checkout: an older release refuses the store of a newer one, which brings an older store up to date. */
const makeKeyBy = (checkout: string, databaseUrl: string): string => {
  const command = (...args: ReadonlyArray<string>) =>
    execFileSync(join(checkout, "apps/http/bin/petstore"), args, {
      encoding: "utf8",
      // biome-ignore lint/style/noProcessEnv: a started program inherits the environment of its starter
      env: { ...process.env, DATABASE_URL: databaseUrl },
    })
  command("migrate")
  command("accounts", "create", "bench")
  // Safe: the command answers one object with `key`.
  return (JSON.parse(command("keys", "create", "--account", "bench", "--json")) as { key: string }).key
}

/** Makes the store at `path` and answers an API key of it. `checkout` is that of the oldest release that opens it, if not this one. */
export const makeCatalogue = async (path: string, animals: number, checkout?: string): Promise<string> => {
  const databaseUrl = `sqlite:${path}`
  const key = checkout === undefined ? await makeKey(databaseUrl) : makeKeyBy(checkout, databaseUrl)
  const database = new DatabaseSync(path)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000")
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${animals})
    INSERT INTO pets (name, category_id, status) SELECT 'Pet number ' || n, n % 50, ${statusOf} FROM numbers LIMIT ${animals};
    PRAGMA wal_checkpoint(TRUNCATE);
  `)
  database.close()
  return key
}

/** A copy of a store for one server alone. */
export const copyCatalogue = (from: string, to: string): void => copyFileSync(from, to)

/** A PostgreSQL server with the same catalogue, and as many databases of it as are asked for. */
export const startPostgresCatalogue = async (animals: number) => {
  const server = await startServer(["shared_buffers=256MB"])
  await server.createDatabase("catalogue")
  const key = await makeKey(server.url("catalogue"))
  const query = async (database: string, sql: string): Promise<void> => {
    const client = new Client({ connectionString: server.url(database) })
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  await query(
    "catalogue",
    `INSERT INTO pets (name, category_id, status) SELECT 'Pet number ' || n, n % 50, ${statusOf} FROM generate_series(1, ${animals}) AS numbers (n)`,
  )
  await query("catalogue", "VACUUM ANALYZE pets")
  return {
    key,
    /** A database of its own for one server. */
    copy: async (name: string): Promise<string> => {
      await query("postgres", `CREATE DATABASE ${name} TEMPLATE catalogue`)
      return server.url(name)
    },
    stop: server.stop,
  }
}
