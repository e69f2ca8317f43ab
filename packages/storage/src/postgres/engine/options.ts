/** How a process uses a PostgreSQL server. Absent members have the values of `postgresDefaults`. */
export interface PostgresOptions {
  /** The maximum number of pooled connections. Migrations, imports and other transactions use additional connections. */
  readonly poolSize?: number | undefined
  /** The timeout of one statement, and of one operation including waits and retries, in ms. */
  readonly statementTimeoutMillis?: number | undefined
  /** This program's name in the server's session lists and logs. */
  readonly applicationName?: string | undefined
  /**
   * Called for each connection to another machine without TLS, before anything but the request for TLS was sent. If it throws,
   * the connection is refused with this error. Without a callback, such connections are allowed.
   */
  readonly onPlainText?: ((host: string) => void) | undefined
}

/** The default settings. */
export const postgresDefaults = {
  poolSize: 10,
  statementTimeoutMillis: 1_500,
  applicationName: "petstore",
} as const satisfies PostgresOptions
