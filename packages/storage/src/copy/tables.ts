/**
 * What a copy takes along: every table whose rows cannot be made again from the others. A test compares this list with both
 * schemas, so that no table or column is forgotten.
 */
import { createHash, hash } from "node:crypto"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { BackupFailed } from "../backup-failed.js"
import type { StorageNotOpened } from "../storage-not-opened.js"

/** A column value. A flag is 0 or 1. */
export type CopiedValue = bigint | string | null

/** Values in the order of the table's columns. On PostgreSQL, the slot of a pet or change may follow. */
export type CopiedRow = ReadonlyArray<CopiedValue>

export interface CopiedTable {
  readonly name: string
  /** The columns. Those of the key come first. */
  readonly columns: Readonly<Record<string, "int8" | "text" | "flag">>
  /** The number of columns that identify a row. Text is ordered by its bytes. */
  readonly keyLength: number
}

export const changesTable = {
  name: "changes",
  columns: {
    id: "int8",
    at: "int8",
    operation: "int8",
    actor: "int8",
    request_id: "text",
    pet_id: "int8",
    before: "text",
    after: "text",
  },
  keyLength: 1,
} as const satisfies CopiedTable

export const apiKeysTable = {
  name: "api_keys",
  columns: {
    id: "text",
    account_id: "text",
    hash: "text",
    deployment: "text",
    created_at: "int8",
    expires_at: "int8",
    revoked_at: "int8",
    last_used_on: "text",
    label: "text",
    replaced_by: "text",
    read_only: "int8",
  },
  keyLength: 1,
} as const satisfies CopiedTable

/** The tables of both engines. Orders and pets have no foreign keys; keys come after the accounts that they belong to. */
export const copiedTables: ReadonlyArray<CopiedTable> = [
  {
    name: "pets",
    columns: { id: "int8", name: "text", category_id: "int8", status: "text", reserved: "flag" },
    keyLength: 1,
  },
  {
    name: "orders",
    columns: { id: "int8", pet_id: "int8", status: "text", created_at: "int8", updated_at: "int8", note: "text" },
    keyLength: 1,
  },
  { name: "categories", columns: { id: "int8", name: "text" }, keyLength: 1 },
  { name: "accounts", columns: { id: "text", name: "text", created_at: "int8", disabled_at: "int8" }, keyLength: 1 },
  apiKeysTable,
  {
    name: "idempotency_keys",
    columns: {
      account_id: "text",
      operation: "text",
      key: "text",
      fingerprint: "text",
      resource_id: "int8",
      expires_at: "int8",
    },
    keyLength: 3,
  },
  {
    name: "deprecated_calls",
    columns: { key_id: "text", operation: "text", calls: "int8", last_called_at: "int8" },
    keyLength: 2,
  },
  {
    name: "webhooks",
    columns: { id: "text", settings: "text", progress: "text", disabled: "text", holder: "text", version: "int8" },
    keyLength: 1,
  },
  {
    name: "webhook_deliveries",
    columns: {
      webhook_id: "text",
      number: "int8",
      change_id: "text",
      payload: "text",
      tries: "int8",
      status: "int8",
      at: "int8",
      next_at: "int8",
    },
    keyLength: 2,
  },
  { name: "change_actors", columns: { id: "int8", account_id: "text", key_id: "text" }, keyLength: 1 },
  changesTable,
]

/** The tables that a store fills itself: counts, words, what belongs to running processes, and how far old changes were removed. */
export const derivedTables: ReadonlyArray<string> = [
  "inventory",
  "pet_words",
  "change_source",
  "writability",
  "petstore_processes",
  "removed_changes",
]

/** What a store knows beside its rows. */
export interface StoreState {
  readonly deployment: string | null
  /** The highest identifiers that were ever assigned, also to pets and orders that no longer exist. */
  readonly given: { readonly pets: bigint; readonly orders: bigint }
}

/** The number of rows that are read or written at once. */
export const rowsAtOnce = 5_000

export type Copying<A> = Effect.Effect<A, BackupFailed | StorageNotOpened>

/** Reads a store as it was at one moment, except on Citus, whose nodes share no snapshot. */
export interface StoreReader {
  readonly state: Copying<StoreState>
  readonly count: (table: CopiedTable) => Copying<bigint>
  /** At most {@link rowsAtOnce} rows in the order of their keys, after the given row. */
  readonly read: (table: CopiedTable, after: CopiedRow | undefined) => Copying<ReadonlyArray<CopiedRow>>
  /** The rows with these identifiers, in any order. */
  readonly readRows: (table: CopiedTable, ids: ReadonlyArray<bigint>) => Copying<ReadonlyArray<CopiedRow>>
  /** The newest change of each slot. SQLite has one slot. */
  readonly ends: Copying<ReadonlyMap<bigint, bigint>>
  /** At most {@link rowsAtOnce} changes of a slot behind a change, from the oldest. */
  readonly changesAfter: (slot: bigint, id: bigint) => Copying<ReadonlyArray<CopiedRow>>
}

/** The store that is copied. */
export interface Source {
  readonly open: Opened<StoreReader>
  /** Whether no service uses the store. Where that is possible, none can start until the scope closes. */
  readonly hold: Effect.Effect<boolean, BackupFailed | StorageNotOpened, Scope.Scope>
}

/** Fills a new store, which no program accepts as a store before it is published. */
export interface StoreWriter extends StoreReader {
  readonly write: (table: CopiedTable, rows: ReadonlyArray<CopiedRow>) => Copying<void>
  /** Deletes the rows with these identifiers. */
  readonly remove: (table: CopiedTable, ids: ReadonlyArray<bigint>) => Copying<void>
  readonly clear: (table: CopiedTable) => Copying<void>
  readonly setState: (state: StoreState) => Copying<void>
  /** Where a former store was already moved, before the new one is published. */
  readonly aside?: string | undefined
  /** Makes the store one that programs accept. Returns where a former store was moved. */
  readonly publish: Copying<string | undefined>
}

export type Opened<A> = Effect.Effect<A, BackupFailed | StorageNotOpened, Scope.Scope>

/** A table's rows and their checksum, which are equal on every engine. */
export interface TableContents {
  readonly table: string
  readonly rows: bigint
  /** The sum of the SHA-256 of every row, modulo 2^256, in hexadecimal. */
  readonly checksum: string
}

/** A store's tables and a checksum of everything that a copy takes along. */
export interface WholeContents {
  readonly tables: ReadonlyArray<TableContents>
  /** SHA-256 of the tables' checksums and the state, in hexadecimal. */
  readonly checksum: string
}

/** JSON in which integers are text. `JSON.stringify` with a function for each value takes twice as long. */
const textOf = (row: CopiedRow): string =>
  `[${row.map((value) => (typeof value === "bigint" ? `"${value}"` : JSON.stringify(value))).join()}]`

/** The checksum of a table whose rows come and go: the sum of the rows' digests, modulo 2^256. */
export const sumOf = ({ name, columns }: CopiedTable) => {
  const { length } = Object.keys(columns)
  const digestOf = (row: CopiedRow): bigint => BigInt(`0x${hash("sha256", textOf(row.slice(0, length)))}`)
  let [rows, sum] = [0n, 0n]
  return {
    add: (some: ReadonlyArray<CopiedRow>): void => {
      rows += BigInt(some.length)
      for (const row of some) sum += digestOf(row)
      sum = BigInt.asUintN(256, sum)
    },
    remove: (some: ReadonlyArray<CopiedRow>): void => {
      rows -= BigInt(some.length)
      for (const row of some) sum -= digestOf(row)
      sum = BigInt.asUintN(256, sum)
    },
    contents: (): TableContents => ({ table: name, rows, checksum: sum.toString(16).padStart(64, "0") }),
  }
}

export type Sum = ReturnType<typeof sumOf>

/** Whether two lists have the same rows, in any order. */
export const areSame = (table: CopiedTable, some: ReadonlyArray<CopiedRow>, others: ReadonlyArray<CopiedRow>): boolean => {
  const sum = sumOf(table)
  sum.add(some)
  sum.remove(others)
  const { rows, checksum } = sum.contents()
  return rows === 0n && BigInt(`0x${checksum}`) === 0n
}

export const wholeContents = (tables: ReadonlyArray<TableContents>, { deployment, given }: StoreState): WholeContents => ({
  tables,
  checksum: createHash("sha256")
    .update(tables.map(({ table, rows, checksum }) => `${table} ${rows} ${checksum}\n`).join(""))
    .update(textOf([deployment, given.pets, given.orders]))
    .digest("hex"),
})
