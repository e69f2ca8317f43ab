/** The torture kit's stores: their data, the faults that can be injected, and their own checks. */
import { chmodSync, copyFileSync, existsSync, mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { environmentOf, petstore } from "@petstore/harness/command"
import { messageOf } from "@petstore/harness/error-text"
import { DatabaseSync as SqljsDatabase } from "@petstore/sqljs"
import { type ClusterNode, startCluster, untilRecovered } from "@petstore/test/citus-cluster"
import { type PostgresServer, startServer } from "@petstore/test/postgres-server"
import { mutations } from "./mutants/mutations.ts"
import { openServerPair, type ServerPair } from "./standby.ts"

export type Need =
  | "containers"
  | "strace"
  | "small disk"
  | "database file"
  | "lock of SQLite"
  | "database server"
  | "cluster"
  | "standby"

export interface TorturedStore {
  readonly databaseUrl: string
  /** The database's files, the main one first. The list is empty if a server owns the files. */
  readonly files: ReadonlyArray<string>
  readonly server?: PostgresServer
  /** The service's settings in addition to the store's address. */
  readonly settings?: Readonly<Record<string, string>>
  /** The servers of a cluster: the coordinator, then the workers. */
  readonly nodes?: ReadonlyArray<ClusterNode>
  readonly pair?: ServerPair
  /** Waits until all requests have finished and every commit is visible. Nothing else may write. */
  readonly settle?: () => Promise<void>
  /** Returns the faults that the database's own checks find in the data. Called when nothing else is writing. */
  readonly problems?: () => ReadonlyArray<string>
  readonly close?: () => Promise<void>
}

export interface StoreKind {
  /** The requirements of faults that this store meets. The machine must meet the other requirements. */
  readonly offers: ReadonlyArray<Need>
  /** The size of the small file system for a run of this many rounds, in MiB. The file system is in memory. */
  readonly diskMebibytes?: (rounds: number) => number
  /** Deliberate bugs in the store itself, which the kit must catch. */
  readonly mutants?: ReadonlyArray<string>
  /** Opens a new store in a folder. If a mutant is given, the store contains that bug. */
  readonly open: (folder: string, mutant?: string) => Promise<TorturedStore>
}

type FindProblems = (files: ReadonlyArray<string>) => ReadonlyArray<string>

/** Problems from SQLite's own checks of a database file, and pets that are reserved without an order or held without a mark. */
const fileProblems: FindProblems = ([file = ""]) => {
  try {
    using database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    const rows = (sql: string) => database.prepare(sql).all()
    const idsOf = (sql: string) => rows(sql).map(({ id }) => id)
    const integrity = rows("PRAGMA integrity_check").flatMap(Object.values).join("; ")
    const orphans = rows("PRAGMA foreign_key_check")
    const reserved = idsOf("SELECT id FROM pets WHERE status = 'pending' AND reserved ORDER BY id").join()
    const held = idsOf("SELECT pet_id AS id FROM orders WHERE status = 'placed' ORDER BY pet_id").join()
    return [
      ...(integrity === "ok" ? [] : [`the file is damaged: ${integrity}`]),
      ...orphans.map((row) => JSON.stringify(Object.values(row))),
      ...(reserved === held ? [] : [`reserved pets are ${reserved}, but placed orders hold ${held}`]),
    ]
  } catch (cause) {
    return [messageOf(cause)]
  }
}

/** Checks a copy made between two sql.js transactions, because native SQLite does not see sql.js locks. */
const copyProblems: FindProblems = (files) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-copy-"))
  using database = new SqljsDatabase(files[0] ?? "", { timeout: 5000 })
  database.exec("BEGIN IMMEDIATE")
  for (const file of files) if (existsSync(file)) copyFileSync(file, join(folder.path, basename(file)))
  database.exec("ROLLBACK")
  return fileProblems(filesIn(folder.path))
}

const filesIn = (folder: string): ReadonlyArray<string> =>
  ["", "-wal", "-journal"].map((suffix) => join(folder, `petstore.db${suffix}`))

/** A store in files. During a restore there are temporarily four copies of it. */
const inFiles = (scheme: string, find: FindProblems) => ({
  diskMebibytes: (rounds: number) => 64 + rounds,
  open: async (folder: string): Promise<TorturedStore> => {
    const files = filesIn(folder)
    return { databaseUrl: `${scheme}:${files[0]}`, files, problems: () => find(files) }
  },
})

/** The statement timeout for a server that may stop responding, in ms. */
export const statementMillis = 2_000

/** A primary with a standby. Two processes serve, and each reads the other's acknowledged writes. */
const onPair = (withPooler: boolean) =>
  ({
    offers: ["standby"],
    mutants: [acknowledgeEarly],
    open: async (folder, mutant) => {
      openToServers(folder)
      const pair = await openServerPair(folder, withPooler, mutant === acknowledgeEarly)
      return { ...pair, pair, files: [], settings: { WORKERS: "2" } }
    },
  }) as const satisfies StoreKind

const acknowledgeEarly = "acknowledge before the standby has it"

/** By default, only its owner can enter a new folder, but a server that root starts runs as another user. */
const openToServers = (folder: string): void => chmodSync(folder, 0o755)

export const stores = {
  sqlite: {
    offers: ["strace", "small disk", "database file", "lock of SQLite"],
    ...inFiles("sqlite", fileProblems),
  },
  sqljs: {
    offers: ["containers", "strace", "small disk", "database file"],
    ...inFiles("sqljs", copyProblems),
  },
  postgres: {
    offers: ["small disk", "database server"],
    diskMebibytes: (rounds) => 256 + rounds,
    open: async (folder) => {
      openToServers(folder)
      const server = await startServer(["max_wal_size=64MB", "min_wal_size=32MB"], folder)
      await server.createDatabase("torture")
      const settings = { POSTGRES_STATEMENT_TIMEOUT_MS: String(statementMillis) }
      return { databaseUrl: server.url("torture"), files: [], settings, server, settle: server.untilIdle, close: server.stop }
    },
  },
  standby: onPair(false),
  pooler: onPair(true),
  citus: {
    offers: ["cluster"],
    open: async () => {
      const { nodes, newDatabase, stop: close } = await startCluster()
      const databaseUrl = await newDatabase()
      await petstore(environmentOf({ DATABASE_URL: databaseUrl }), "migrate", "--distribute")
      const ports = nodes.map(({ port }) => port)
      return { databaseUrl, files: [], nodes, settle: () => untilRecovered(databaseUrl, ports), close }
    },
  },
} as const satisfies Readonly<Record<string, StoreKind>>

export type StoreName = keyof typeof stores

/** The deliberate bugs for this store: those in its adapter and those in the store itself. */
export const mutantNames = (store: StoreName): ReadonlyArray<string> => {
  const { mutants = [] }: StoreKind = stores[store]
  return [...Object.keys(mutations), ...mutants]
}

export const isStoreName = (name: string): name is StoreName => Object.hasOwn(stores, name)
