/** How a test gets a real PostgreSQL. The servers belong to the runner: see `postgres-servers.ts`. */
import { inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    /** Where tests ask for PostgreSQL servers. */
    readonly postgresServers: string
  }
}

const ask = async (action: string, ...given: ReadonlyArray<unknown>): Promise<unknown> => {
  const response = await fetch(`${inject("postgresServers")}/${action}`, { method: "POST", body: JSON.stringify(given) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${action}: ${text}`)
  return JSON.parse(text)
}

/**
 * Makes an empty database on the server that all tests share, and answers its URL.
 * `logsStatements` is for {@link statementsOf}: a server that logs waits for whoever reads the log.
 */
export const newPostgresDatabase = async ({ logsStatements = false } = {}): Promise<string> =>
  String(await ask("database", logsStatements))

/**
 * Every statement that programs of a name sent to a database that logs them, as
 * the server logged it: `execute <unnamed>: SELECT …` or `statement: BEGIN`.
 */
export const statementsOf = async (url: string, applicationName: string): Promise<ReadonlyArray<string>> =>
  // Safe: the runner answers the lines of a log.
  (await ask("statements", new URL(url).pathname.slice(1), applicationName)) as ReadonlyArray<string>

/** A server of one test, which keeps what it acknowledged when it is killed. */
export interface PostgresServer {
  readonly url: string
  /** Ends it as a crash does: without a word, without a checkpoint. */
  readonly kill: () => Promise<void>
  /** Starts it again on the same files and port. */
  readonly start: () => Promise<void>
}

/** Starts a server with an empty database. `settings` are lines of `postgresql.conf` without spaces. */
export const newPostgresServer = async (settings: ReadonlyArray<string> = []): Promise<PostgresServer> => {
  // Safe: the runner answers this object.
  const { id, url } = (await ask("server", settings)) as { id: number; url: string }
  return {
    url,
    kill: async () => void (await ask("kill", id)),
    start: async () => void (await ask("start", id)),
  }
}
