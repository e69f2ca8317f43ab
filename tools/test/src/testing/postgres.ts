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
  if (!response.ok) {
    const refused = new Error(text)
    // The stack of the test says nothing about a machine that cannot run PostgreSQL.
    refused.stack = text
    throw refused
  }
  return JSON.parse(text)
}

/**
 * Creates an empty database on the server that all tests share, and returns its URL.
 * `logsStatements` is for {@link statementsOf}: a server that logs waits for the reader of the log.
 */
export const newPostgresDatabase = async ({ logsStatements = false } = {}): Promise<string> =>
  String(await ask("database", logsStatements))

/**
 * Every statement that programs of a name sent to a database that logs them, as
 * the server logged it: `execute <unnamed>: SELECT …` or `statement: BEGIN`.
 */
export const statementsOf = async (url: string, applicationName: string): Promise<ReadonlyArray<string>> =>
  // Safe: the runner returns the lines of a log.
  (await ask("statements", new URL(url).pathname.slice(1), applicationName)) as ReadonlyArray<string>

/** A server of one test, which keeps what it acknowledged when it is killed. */
export interface PostgresServer {
  readonly url: string
  /** Ends it as a crash does: without notice, without a checkpoint. */
  readonly kill: () => Promise<void>
  /** Starts it again on the same files and port. */
  readonly start: () => Promise<void>
}

/** Starts a server with an empty database. `settings` are lines of `postgresql.conf` without spaces. */
export const newPostgresServer = async (settings: ReadonlyArray<string> = []): Promise<PostgresServer> => {
  // Safe: the runner returns this object.
  const { id, url } = (await ask("server", settings)) as { id: number; url: string }
  return {
    url,
    kill: async () => void (await ask("kill", id)),
    start: async () => void (await ask("start", id)),
  }
}

/** Creates an empty database on the Citus cluster that tests share: a coordinator and two workers. Nothing is distributed yet. */
export const newCitusDatabase = async (): Promise<string> => String(await ask("spread"))

/** A Citus cluster of one test, with an empty database. Node 0 is the coordinator, 1 and 2 are workers. */
export interface CitusCluster {
  /** On the coordinator. */
  readonly url: string
  /** Where the nodes listen, on 127.0.0.1. */
  readonly ports: ReadonlyArray<number>
  /** Ends a node as a crash does. */
  readonly kill: (node: number) => Promise<void>
  readonly start: (node: number) => Promise<void>
  /** The node neither ends nor responds. */
  readonly freeze: (node: number) => Promise<void>
  readonly thaw: (node: number) => Promise<void>
  /** Starts one more worker, and returns its port. It is not yet part of the database. */
  readonly addWorker: () => Promise<number>
}

export const newCitusCluster = async (): Promise<CitusCluster> => {
  // Safe: the runner returns this object.
  const { id, url, ports } = (await ask("cluster")) as { id: number; url: string; ports: ReadonlyArray<number> }
  return {
    url,
    ports,
    kill: async (node) => void (await ask("killNode", id, node)),
    start: async (node) => void (await ask("startNode", id, node)),
    freeze: async (node) => void (await ask("freezeNode", id, node)),
    thaw: async (node) => void (await ask("thawNode", id, node)),
    addWorker: async () => Number(await ask("addWorker", id)),
  }
}
