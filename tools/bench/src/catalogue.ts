import assert from "node:assert/strict"
import { DatabaseSync } from "node:sqlite"
import { wordsOf } from "@petstore/core"
import { commandPath, environmentOf, runProgram } from "@petstore/harness/command"
import { startServer } from "@petstore/test/postgres-server"
import { Client } from "pg"
import { drawPets } from "./names.ts"
import { commandOf } from "./servers.ts"

const catalogueOf = (animals: number) => Array.from({ length: animals }, drawPets(1))

/** Every fourth pet has no status, and the other pets alternate between the three statuses. */
const statusOf = `CASE n % 4 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' WHEN 2 THEN 'sold' END`

/** Cancelled orders for available pets, enough for a full page. */
const insertOrders = `INSERT INTO orders (pet_id, status, created_at, updated_at)
  SELECT id, 'cancelled', 1, 2 FROM pets WHERE status = 'available' ORDER BY id LIMIT 1000`

/** Runs a command from this checkout or another one on a store, and returns the command's output. */
const runOn =
  (databaseUrl: string, checkout?: string) =>
  async (...args: ReadonlyArray<string>): Promise<string> => {
    const program = checkout === undefined ? commandPath("petstore") : commandOf(checkout)
    const { exitCode, stdout, stderr } = await runProgram(environmentOf({ DATABASE_URL: databaseUrl }), program, args)
    assert.equal(exitCode, 0, `petstore ${args.join(" ")}: ${stderr}`)
    return stdout
  }

/** Makes a store and returns an API key for it. Uses the command from the other checkout if one is given. */
const makeKey = async (databaseUrl: string, checkout?: string): Promise<string> => {
  const command = runOn(databaseUrl, checkout)
  await command("migrate")
  await command("accounts", "create", "bench")
  // Safe: the command prints one object with `key`.
  return (JSON.parse(await command("keys", "create", "--account", "bench", "--json")) as { key: string }).key
}

/** Creates a store and returns an API key for it. `checkout`: the code that will open it, if it is not this one. */
export const makeCatalogue = async (path: string, animals: number, checkout?: string): Promise<string> => {
  const databaseUrl = `sqlite:${path}`
  const key = await makeKey(databaseUrl, checkout)
  using database = new DatabaseSync(path)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000")
  const insert = database.prepare(`INSERT INTO pets (name, category_id, status) SELECT ?, ?, ${statusOf} FROM (SELECT ? AS n)`)
  database.exec("BEGIN")
  for (const [index, { name, categoryId }] of catalogueOf(animals).entries()) insert.run(name, categoryId, index)
  database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  database.exec(insertOrders)
  if (checkout === undefined) completePets(path)
  return key
}

/** Adds the data that a service writes with each pet. */
const completePets = (path: string): void => {
  using database = new DatabaseSync(path)
  database.function("words_of", { deterministic: true }, (name) => wordsOf(String(name)).join(" "))
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000")
  database.exec(`INSERT INTO pet_words (docid, words) SELECT id, words_of(name) FROM pets;
    PRAGMA wal_checkpoint(TRUNCATE)`)
}

/** Starts a PostgreSQL server with the same catalogue in a database that can be copied for each measured server. */
export const startPostgresCatalogue = async (animals: number) => {
  const server = await startServer(["shared_buffers=256MB"])
  await server.createDatabase("catalogue")
  const key = await makeKey(server.url("catalogue"))
  const client = new Client({ connectionString: server.url("catalogue") })
  await client.connect()
  const pets = catalogueOf(animals)
  await client.query(
    `INSERT INTO pets (name, category_id, status, words) SELECT name, category, ${statusOf}, words
      FROM unnest($1::text[], $2::int8[], $3::text[]) WITH ORDINALITY AS drawn (name, category, words, n) ORDER BY n`,
    [pets.map(({ name }) => name), pets.map(({ categoryId }) => categoryId), pets.map(({ name }) => wordsOf(name).join(" "))],
  )
  await client.query(insertOrders)
  await client.query("VACUUM ANALYZE pets")
  await client.end()
  return {
    key,
    copy: async (name: string): Promise<string> => {
      await server.run(`CREATE DATABASE ${name} TEMPLATE catalogue`)
      return server.url(name)
    },
    stop: server.stop,
  }
}
