/** The sample's settings. Only this module reads `process.env`. Names and defaults are the service's, except for the port. */
import { deployments } from "@petstore/core"
import { databaseUrlForms, decodeDatabaseUrl } from "@petstore/storage"
import { Either } from "effect"

/** Reads the settings. Throws an error whose message is a sentence for the operator. */
export const readSettings = () => {
  // biome-ignore lint/style/noProcessEnv: the only place that reads it
  const { PORT, HOST, PETSTORE_ENV, DATABASE_URL } = process.env
  const port = Number(PORT || "3001")
  if (!/^[0-9]*$/.test(PORT ?? "") || port > 65_535) throw new Error(`PORT: expected a number from 0 to 65535, got "${PORT}"`)
  const deployment = deployments.find((name) => name === (PETSTORE_ENV || "development"))
  if (deployment === undefined) {
    throw new Error(`PETSTORE_ENV: expected one of ${deployments.join(", ")}, got "${PETSTORE_ENV}"`)
  }
  // The message does not repeat the value, which may contain a password.
  const wrongUrl = () => new Error(`DATABASE_URL: expected ${databaseUrlForms}`)
  const database = Either.getOrThrowWith(decodeDatabaseUrl(DATABASE_URL || "sqlite:./data/petstore.db"), wrongUrl)
  return { port, host: HOST || "127.0.0.1", deployment, database }
}
