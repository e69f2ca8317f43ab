/** How a process uses a PostgreSQL server. */

/** The settings of an operator. */
export interface PostgresOptions {
  /** The maximum number of connections of this process, plus one while a migration or an import runs. */
  readonly poolSize: number
  /** The timeout of one statement, in ms, and of one operation, waits and retries included. */
  readonly statementTimeoutMillis: number
  /** The name of this program in lists and logs of the server. */
  readonly applicationName: string
}

/** The defaults. */
export const postgresDefaults: PostgresOptions = { poolSize: 10, statementTimeoutMillis: 1_500, applicationName: "petstore" }
