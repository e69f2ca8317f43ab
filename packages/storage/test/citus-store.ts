import { newCitusDatabase } from "@petstore/test/postgres"
import { Effect, Layer } from "effect"
import { distributePostgres } from "../src/postgres/distribute.js"
import { postgresStorage } from "../src/postgres/storage.js"
import { sql, unhurried } from "./postgres-store.js"

/** A new database on the cluster that the tests share, with 8 shards for each table. */
export const newSpreadDatabase = async (): Promise<string> => {
  const url = await newCitusDatabase()
  await Effect.runPromise(distributePostgres(url, { shards: 8 }))
  return url
}

let made: Promise<string> | undefined

/** The database for a test file's contract suites. */
export const spreadContractDatabase = (): Promise<string> => {
  made ??= newSpreadDatabase()
  return made
}

/** A store in the contract suites' database, which is emptied first. */
export const emptyCitus = Layer.unwrapEffect(
  Effect.promise(async () => {
    const url = await spreadContractDatabase()
    await sql(
      url,
      "TRUNCATE pets, accounts, api_keys, idempotency_keys, deprecated_calls, orders, categories, changes, removed_changes, webhooks, webhook_deliveries",
    )
    await sql(url, "UPDATE inventory SET without_status = 0, available = 0, pending = 0, sold = 0")
    await sql(url, "UPDATE petstore_schema SET deployment = NULL")
    return postgresStorage(url, { migrate: false, postgres: unhurried })
  }),
)
