/** The torture kit's stores: their data, the faults that they support, and their own checks. */
import { chmodSync, copyFileSync, existsSync, mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { environmentOf, petstore } from "@petstore/harness/command"
import { DatabaseSync as SqljsDatabase } from "@petstore/sqljs"
import { type ClusterNode, startCluster, untilRecovered } from "@petstore/test/citus-cluster"
import { startServer } from "@petstore/test/postgres-server"
import { contradictions, type IsLeftToOrders, readSqliteOrders } from "./order-checker.ts"
import { openServerPair, type ServerPair } from "./standby.ts"
import { messageOf } from "./tolerance.ts"

/** The requirements of a fault. */
export type Need =
  | "containers"
  | "strace"
  | "small disk"
  | "database file"
  | "lock of SQLite"
  | "second service"
  | "workers"
  | "database server"
  | "cluster"
  | "standby"

/** A database server that can be stopped and started again. */
export interface DatabaseServer {
  /** Stops the server as an operator would. */
  readonly halt: () => Promise<void>
  /** Stops the server as a crash would. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  /** Runs a statement as the superuser and returns the rows. */
  readonly run: (text: string, database?: string) => Promise<ReadonlyArray<unknown>>
  /** The process ids of the server and its child processes, starting with the server's. */
  readonly processes: () => ReadonlyArray<number>
}

export interface TorturedStore {
  readonly databaseUrl: string
  /** The database's files, the main one first. The list is empty if a server owns the files. */
  readonly files: ReadonlyArray<string>
  readonly server?: DatabaseServer
  /** The service's settings in addition to the store's address. */
  readonly settings?: Readonly<Record<string, string>>
  /** The servers of a cluster: the coordinator, then the workers. */
  readonly nodes?: ReadonlyArray<ClusterNode>
  /** A primary with a standby. */
  readonly pair?: ServerPair
  /** Waits until all requests have finished and every commit is visible. Nothing else may write. */
  readonly settle?: () => Promise<void>
  /** Returns the faults that the database's own checks find in the data. Called when nothing else writes. */
  readonly problems: (isLeftToOrders: IsLeftToOrders) => ReadonlyArray<string>
  readonly close: () => Promise<void>
}

export interface StoreKind {
  /** The fault requirements that this store meets. The machine must meet the other requirements. */
  readonly offers: ReadonlyArray<Need>
  /** The size of the small file system for a run of this many rounds, in MiB. The file system is in memory. */
  readonly diskMebibytes: (rounds: number) => number
  /** Deliberate bugs in the store itself, which the kit must catch. */
  readonly mutants?: ReadonlyArray<string>
  /** Opens a new store in a folder. If a mutant is named, the store has its bug. */
  readonly open: (folder: string, mutant?: string) => Promise<TorturedStore>
}

/** Problems from SQLite's own check of a database file, and contradictions in the file. */
const fileProblems = (file: string, isLeftToOrders: IsLeftToOrders): ReadonlyArray<string> => {
  try {
    using database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    const orphans = database.prepare("PRAGMA foreign_key_check").all()
    const reserved = database.prepare("SELECT id FROM pets WHERE status = 'pending' AND NOT free").all()
    const held = database.prepare("SELECT pet_id AS id FROM orders WHERE status = 'placed'").all()
    const idsOf = (rows: typeof held) =>
      rows
        .map(({ id }) => Number(id))
        .toSorted((one, other) => one - other)
        .join()
    return [
      ...orphans.map((row) => JSON.stringify(Object.values(row))),
      ...(idsOf(reserved) === idsOf(held) ? [] : [`reserved pets are ${idsOf(reserved)}, but placed orders hold ${idsOf(held)}`]),
      ...contradictions(readSqliteOrders(file), isLeftToOrders),
    ]
  } catch (cause) {
    return [messageOf(cause)]
  }
}

/** Checks a copy made between two sql.js transactions, because native SQLite does not see sql.js locks. */
const copyProblems = (files: ReadonlyArray<string>, isLeftToOrders: IsLeftToOrders): ReadonlyArray<string> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-copy-"))
  using database = new SqljsDatabase(files[0] ?? "", { timeout: 5000 })
  database.exec("BEGIN IMMEDIATE")
  for (const file of files) if (existsSync(file)) copyFileSync(file, join(folder.path, basename(file)))
  database.exec("ROLLBACK")
  return fileProblems(join(folder.path, "petstore.db"), isLeftToOrders)
}

const filesIn = (folder: string): ReadonlyArray<string> =>
  ["", "-wal", "-journal"].map((suffix) => join(folder, `petstore.db${suffix}`))

/** During a restore there are temporarily four copies of the store. */
const forFiles = (rounds: number): number => 64 + rounds

const openSqlite = async (folder: string): Promise<TorturedStore> => {
  const files = filesIn(folder)
  return {
    databaseUrl: `sqlite:${files[0]}`,
    files,
    problems: (isLeftToOrders) => fileProblems(files[0] ?? "", isLeftToOrders),
    close: async () => {},
  }
}

/** The statement timeout for a server that may stop responding, in ms. */
export const statementMillis = 2_000

const impatient = { POSTGRES_STATEMENT_TIMEOUT_MS: String(statementMillis) }

const acknowledgeEarly = "acknowledge before the standby has it"

/** Two processes serve, and each reads the other's acknowledged writes. */
const openPair = async (folder: string, withPooler: boolean, mutant: string | undefined): Promise<TorturedStore> => {
  chmodSync(folder, 0o755)
  const pair = await openServerPair(folder, withPooler, mutant === acknowledgeEarly)
  const { databaseUrl, settle, close } = pair
  return { databaseUrl, files: [], settings: { WORKERS: "2" }, pair, settle, problems: () => [], close }
}

export const stores = {
  sqlite: {
    offers: ["strace", "small disk", "database file", "lock of SQLite", "second service"],
    diskMebibytes: forFiles,
    open: openSqlite,
  },
  workers: {
    offers: ["strace", "small disk", "database file", "lock of SQLite", "second service", "workers"],
    diskMebibytes: forFiles,
    open: async (folder) => ({ ...(await openSqlite(folder)), settings: { WORKERS: "3" } }),
  },
  sqljs: {
    offers: ["containers", "strace", "small disk", "database file"],
    diskMebibytes: forFiles,
    open: async (folder) => {
      const files = filesIn(folder)
      const problems: TorturedStore["problems"] = (isLeftToOrders) => copyProblems(files, isLeftToOrders)
      return { databaseUrl: `sqljs:${files[0]}`, files, problems, close: async () => {} }
    },
  },
  postgres: {
    offers: ["small disk", "second service", "database server"],
    diskMebibytes: (rounds) => 256 + rounds,
    open: async (folder) => {
      // By default, only its owner can enter the folder, but a server that root starts runs as another user.
      chmodSync(folder, 0o755)
      const server = await startServer(["max_wal_size=64MB", "min_wal_size=32MB"], folder)
      await server.createDatabase("torture")
      const { untilIdle: settle, stop: close } = server
      return { databaseUrl: server.url("torture"), files: [], settings: impatient, server, settle, problems: () => [], close }
    },
  },
  standby: {
    offers: ["standby"],
    diskMebibytes: () => 0,
    mutants: [acknowledgeEarly],
    open: (folder, mutant) => openPair(folder, false, mutant),
  },
  pooler: {
    offers: ["standby"],
    diskMebibytes: () => 0,
    mutants: [acknowledgeEarly],
    open: (folder, mutant) => openPair(folder, true, mutant),
  },
  citus: {
    offers: ["cluster"],
    diskMebibytes: () => 0,
    open: async () => {
      // biome-ignore lint/style/noProcessEnv: names the Citus files, which are not part of the project
      const tarball = process.env["CITUS_TARBALL"]
      if (tarball === undefined) throw new Error("CITUS_TARBALL is not set; set it to the path of a Citus tarball")
      const cluster = await startCluster(tarball)
      const databaseUrl = await cluster.newDatabase()
      await petstore(environmentOf({ DATABASE_URL: databaseUrl }), "migrate", "--distribute")
      const ports = cluster.nodes.map(({ port }) => port)
      const settle = () => untilRecovered(databaseUrl, ports)
      return { databaseUrl, files: [], nodes: cluster.nodes, settle, problems: () => [], close: cluster.stop }
    },
  },
} as const satisfies Readonly<Record<string, StoreKind>>

export type StoreName = keyof typeof stores

export const mutantsOf = (store: StoreName): ReadonlyArray<string> => {
  const kind: StoreKind = stores[store]
  return kind.mutants ?? []
}

export const storeNames: ReadonlyArray<string> = Object.keys(stores)

export const isStoreName = (name: string): name is StoreName => Object.hasOwn(stores, name)
