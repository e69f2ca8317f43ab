/** How a process uses a PostgreSQL server. */

/** What an operator may choose. */
export interface PostgresOptions {
  /** Most connections of this process, but for one more while a migration or an import runs. */
  readonly poolSize: number
  /** The longest time for one statement, in ms, and for one operation, waiting and repeating included. */
  readonly statementTimeoutMillis: number
  /** What the server calls this program in its lists and logs. */
  readonly applicationName: string
}

/** What an operator who sets nothing gets. */
export const postgresDefaults: PostgresOptions = { poolSize: 10, statementTimeoutMillis: 1_500, applicationName: "petstore" }
