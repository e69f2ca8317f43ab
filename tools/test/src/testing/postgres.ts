/** Functions that give a test a real PostgreSQL server. The servers belong to the runner: see `postgres-servers.ts`. */
import { inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    readonly postgresServers: string
  }
}

const ask = async (action: string, ...given: ReadonlyArray<unknown>): Promise<unknown> => {
  const response = await fetch(`${inject("postgresServers")}/${action}`, {
    method: "POST",
    body: JSON.stringify(given),
    // The runner closes idle connections, which a busy worker would notice too late.
    headers: { Connection: "close" },
  })
  const text = await response.text()
  if (!response.ok) {
    const refused = new Error(text)
    // The test's stack is irrelevant if the machine cannot run PostgreSQL.
    refused.stack = text
    throw refused
  }
  return JSON.parse(text)
}

const tell = async (action: string, ...given: ReadonlyArray<unknown>): Promise<void> => void (await ask(action, ...given))

/**
 * Creates an empty database on the server that all tests share, and returns its URL. `logsStatements` is for
 * {@link statementsOf}, because a server that logs waits for the reader of its log.
 */
export const newPostgresDatabase = async ({ logsStatements = false } = {}): Promise<string> =>
  String(await ask("database", logsStatements))

/** The logged statements of programs with this name, such as `execute <unnamed>: SELECT …` or `statement: BEGIN`. */
export const statementsOf = async (url: string, applicationName: string): Promise<ReadonlyArray<string>> =>
  // Safe: the runner returns lines from a log.
  (await ask("statements", new URL(url).pathname.slice(1), applicationName)) as ReadonlyArray<string>

/** A server for one test. It retains acknowledged writes even if it is killed. */
export type PostgresServer = Awaited<ReturnType<typeof newPostgresServer>>

/** Starts a server with an empty database. `settings` are lines of `postgresql.conf` without spaces. */
export const newPostgresServer = async (settings: ReadonlyArray<string> = []) => {
  // Safe: the runner returns this object.
  const { id, url } = (await ask("server", settings)) as { id: number; url: string }
  return {
    url,
    /** Kills the server, as a crash would: without notice and without a checkpoint. */
    kill: () => tell("kill", id),
    /** Restarts the server with the same files and port. */
    start: () => tell("start", id),
    /** Suspends the server, which then neither exits nor responds. */
    freeze: () => tell("freeze", id),
    thaw: () => tell("thaw", id),
  }
}

/** Creates an empty database on the shared Citus cluster of a coordinator and two workers. Nothing is distributed yet. */
export const newCitusDatabase = async (): Promise<string> => String(await ask("spread"))

/** A Citus cluster for one test, with an empty database. Node 0 is the coordinator, 1 and 2 are workers. */
export type CitusCluster = Awaited<ReturnType<typeof newCitusCluster>>

export const newCitusCluster = async () => {
  // Safe: the runner returns this object.
  const { id, url, ports } = (await ask("cluster")) as { id: number; url: string; ports: ReadonlyArray<number> }
  return {
    /** The database's URL on the coordinator. */
    url,
    /** The nodes' ports on 127.0.0.1. */
    ports,
    /** Kills a node, as a crash would. */
    kill: (node: number) => tell("node", id, node, "kill"),
    start: (node: number) => tell("node", id, node, "start"),
    /** Suspends a node, which then neither exits nor responds. */
    freeze: (node: number) => tell("node", id, node, "freeze"),
    thaw: (node: number) => tell("node", id, node, "thaw"),
    /** Starts one more worker, and returns its port. The worker is not yet part of the database. */
    addWorker: async () => Number(await ask("addWorker", id)),
  }
}
