/** How a process uses a PostgreSQL server. */
export interface PostgresOptions {
  /** The maximum number of pooled connections. Migrations, imports and other transactions use additional connections. */
  readonly poolSize: number
  /** The timeout of one statement, and of one operation including waits and retries, in ms. */
  readonly statementTimeoutMillis: number
  /** This program's name in the server's session lists and logs. */
  readonly applicationName: string
}

/** The default settings. */
export const postgresDefaults: PostgresOptions = { poolSize: 10, statementTimeoutMillis: 1_500, applicationName: "petstore" }
