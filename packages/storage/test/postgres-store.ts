import { openProxy, type TcpProxy } from "@petstore/harness/proxy"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Client, type ClientConfig, Pool } from "pg"
import { openAlone } from "../src/postgres/engine/database.js"
import type { PostgresOptions } from "../src/postgres/engine/options.js"
import { migrate, migrations } from "../src/postgres/migrations.js"
import { postgresStorage } from "../src/postgres/storage.js"
import type { Repositories } from "../src/repositories.js"
import { storage } from "../src/storage.js"
import { StorageNotOpened } from "../src/storage-not-opened.js"
import type { StorageOptions } from "../src/storage-options.js"
import { deleteEverything } from "./delete-everything.js"

/** A long statement timeout, for tests that do not test timeouts, because a busy machine is slow. */
export const unhurried: PostgresOptions = { statementTimeoutMillis: 20_000 }

/** A process's store. */
export interface OpenStore {
  readonly run: <A, E>(effect: Effect.Effect<A, E, Repositories>) => Promise<A>
  readonly close: () => Promise<void>
}

/** Opens a store. Resolves when the schema exists. */
export const openStore = async (url: string, options: PostgresOptions = {}): Promise<OpenStore> => {
  const runtime = ManagedRuntime.make(postgresStorage(url, { migrate: true, postgres: { ...unhurried, ...options } }))
  await runtime.runtime()
  return { run: (effect) => runtime.runPromise(effect), close: () => runtime.dispose() }
}

/** Refuses a server that may lose acknowledged writes, as production does. */
export const ifDurable: StorageOptions = { migrate: false, onVolatile: (reason) => new StorageNotOpened({ reason }) }

/** Opens a store and closes it. Returns `opened`, or the reason for the failure. */
export const tryToOpen = (url: string, options: StorageOptions): Promise<string> =>
  Effect.runPromise(
    Effect.void.pipe(
      Effect.provide(storage({ adapter: "postgres", url }, options)),
      Effect.as("opened"),
      Effect.catchTag("StorageNotOpened", ({ reason }) => Effect.succeed(reason)),
    ),
  )

/** A step that a later release could have: a column, a table and an index. */
export const secondStep = [
  "ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS colour text",
  "CREATE TABLE IF NOT EXISTS toys (id int8 PRIMARY KEY)",
  "CREATE INDEX CONCURRENTLY IF NOT EXISTS pets_by_name ON pets (name)",
]

/** Migrates a store as a release with a second step does. Returns `migrated`, or the reason for the failure. */
export const tryToTake = (url: string, step: ReadonlyArray<string> = secondStep): Promise<string> => {
  const open = openAlone({ url, applicationName: "later", statementTimeoutMillis: 0 })
  return Effect.gen(function* () {
    const [run, beside] = [yield* open, yield* open]
    yield* migrate(run, beside, { migrate: true }, [...migrations, step])
    return "migrated"
  }).pipe(
    Effect.scoped,
    Effect.catchTag("StorageNotOpened", ({ reason }) => Effect.succeed(reason)),
    Effect.runPromise,
  )
}

/** `success`, or the tag of the failure. */
export const tagOf = <A, R>(effect: Effect.Effect<A, { readonly _tag: string }, R>): Effect.Effect<string, never, R> =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "success" })

/** Runs work with a connection separate from the adapter's. */
export const withClient = async <A>(config: string | ClientConfig, use: (client: Client) => Promise<A>): Promise<A> => {
  const client = new Client(config)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Runs SQL on a connection separate from the adapter's, and returns the last statement's rows as objects with text values. */
export const sql = async (
  url: string,
  text: string,
  values?: ReadonlyArray<unknown>,
): Promise<ReadonlyArray<Record<string, string>>> =>
  withClient({ connectionString: url, types: { getTypeParser: () => String as never } }, async (client) => {
    const result: unknown = await client.query(text, values === undefined ? undefined : [...values])
    // Safe: pg returns one result for each statement in the text, and the rows are objects.
    const last = (Array.isArray(result) ? result.at(-1) : result) as { rows: ReadonlyArray<Record<string, string>> }
    return last.rows
  })

/** Runs a test with a store in an empty database, and closes the store afterwards. */
export const withStore = async (
  use: (store: OpenStore, url: string) => Promise<void>,
  options: PostgresOptions & { readonly logsStatements?: boolean } = {},
): Promise<void> => {
  const url = await newPostgresDatabase(options)
  const store = await openStore(url, options)
  try {
    await use(store, url)
  } finally {
    await store.close()
  }
}

/** Runs a test with a store whose connections the test can break. */
export const withLine = async (
  use: (store: OpenStore, line: TcpProxy, url: string) => Promise<void>,
  options: PostgresOptions = {},
): Promise<void> => {
  const url = await newPostgresDatabase()
  const line = await openProxy(url)
  const store = await openStore(line.url, options)
  try {
    await use(store, line, url)
  } finally {
    await store.close()
    line.close()
  }
}

/** Serves a store as a service does, until a promise resolves. */
export const serveUntil = (url: string, until: () => Promise<unknown>): Promise<unknown> =>
  Layer.launch(postgresStorage(url, { migrate: false, hasReaders: true, postgres: unhurried })).pipe(
    Effect.raceFirst(Effect.promise(until)),
    Effect.runPromise,
  )

/** A new database with an up-to-date schema. */
export const newStoreDatabase = async (options: { readonly logsStatements?: boolean } = {}): Promise<string> => {
  const url = await newPostgresDatabase(options)
  await (await openStore(url)).close()
  return url
}

let made: Promise<string> | undefined

/** The database on which a worker runs the contract suites. */
export const contractDatabase = (): Promise<string> => {
  made ??= newStoreDatabase({ logsStatements: true })
  return made
}

let emptying: Pool | undefined

/** Deletes the content of the contract suites' database. */
export const emptyContractDatabase = async (): Promise<void> => {
  // One connection, which stays open until the worker exits. If the server stops first, the connection's error does not matter.
  emptying ??= new Pool({ connectionString: await contractDatabase(), max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true }).on(
    "error",
    () => {},
  )
  await emptying.query(
    `${deleteEverything} UPDATE inventory SET without_status = 0, available = 0, pending = 0, sold = 0; DELETE FROM changes; DELETE FROM removed_changes`,
  )
  await emptying.query("UPDATE petstore_schema SET deployment = NULL")
}

/** A store in the contract suites' database, which is emptied first. */
export const emptyPostgres = Layer.unwrapEffect(
  Effect.promise(async () => {
    await emptyContractDatabase()
    return postgresStorage(await contractDatabase(), { migrate: false, postgres: unhurried })
  }),
)
