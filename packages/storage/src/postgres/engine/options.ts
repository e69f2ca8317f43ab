/** How a process uses a PostgreSQL server. */
export interface PostgresOptions {
  /** This process's maximum number of connections, plus one while a migration or an import runs. */
  readonly poolSize: number
  /** The timeout of one statement, and of one operation including waits and retries, in ms. */
  readonly statementTimeoutMillis: number
  /** This program's name in the server's session lists and logs. */
  readonly applicationName: string
}

/** The default settings. */
export const postgresDefaults: PostgresOptions = { poolSize: 10, statementTimeoutMillis: 1_500, applicationName: "petstore" }
