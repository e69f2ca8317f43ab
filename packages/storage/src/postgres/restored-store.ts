/** Settles a PostgreSQL store after `pg_restore`, which also brings back the counters of identifiers and revoked keys. */
import { randomInt } from "node:crypto"
import * as Effect from "effect/Effect"
import { BackupFailed } from "../backup-failed.js"
import type { StoreState } from "../copy/tables.js"
import { nameOfStore } from "../database-url.js"
import { type Credentials, deploymentOf, type KeyRow, keyColumns, settledKeys } from "../key-settlement.js"
import type { RestoredKeys } from "../store-copy.js"
import { inTransaction, type Run } from "./engine/connection.js"
import { notOpened, openAlone } from "./engine/database.js"
import type { StatementFailed } from "./engine/errors.js"
import { postgresDefaults } from "./engine/options.js"
import { migrate } from "./migrations.js"
import { numbered } from "./tables.js"
import { storeOf } from "./unfinished-copy.js"
import { givenIn } from "./whole-store.js"

/** How many identifiers to skip if it is unknown which ones were given after the backup. */
const skippedIds = 2n ** 32n

/** What is known of a key after the backup, from a list that `petstore keys list --json` wrote. Timestamps are ms since 1970. */
export interface ListedKey {
  readonly id: string
  readonly expiresAt: bigint | null
  readonly revokedAt: bigint | null
  readonly accountDisabledAt: bigint | null
}

export interface RestoredStoreOptions {
  /** The URL of the database that the restored one replaces, if it can still be read. */
  readonly former?: string | undefined
  /** A list of the keys that is newer than the backup. */
  readonly listed?: ReadonlyArray<ListedKey> | undefined
  readonly onPlainText: (host: string) => void
}

/** The highest identifiers that no later pet or order gets, and what became of the keys. */
export interface RestoredStore {
  readonly given: StoreState["given"]
  readonly keys: RestoredKeys
}

const credentialsOf = (run: Run): Effect.Effect<Credentials, StatementFailed> =>
  Effect.gen(function* () {
    // Safe: the statements list these columns.
    const accounts = (yield* run(
      "SELECT id, name, created_at, disabled_at FROM accounts ORDER BY created_at, id",
    )) as ReadonlyArray<readonly [string, string, bigint, bigint | null]>
    const rows = yield* run(`SELECT ${keyColumns.join()} FROM api_keys ORDER BY created_at, id`)
    // Safe: as above.
    const keys = rows.map((row) => Object.fromEntries(keyColumns.map((name, index) => [name, row[index]])) as unknown as KeyRow)
    const [mark] = yield* run("SELECT deployment FROM petstore_schema WHERE only_row = 1")
    return {
      accounts: accounts.map(([id, name, created_at, disabled_at]) => ({ id, name, created_at, disabled_at })),
      keys,
      deployment: deploymentOf(mark?.[0], keys),
    }
  })

const givenOf = (run: Run): Effect.Effect<StoreState["given"], StatementFailed> =>
  Effect.map(run(`SELECT ${givenIn("pets")}, ${givenIn("orders")}`), ([row]) => {
    // Safe: the statement lists these columns.
    const [pets = 0n, orders = 0n] = (row ?? []) as readonly [bigint?, bigint?]
    return { pets, orders }
  })

/** The restored accounts and keys in the states of a list. A key that is not in it stays unknown. */
const asListed = (restored: Credentials, listed: ReadonlyArray<ListedKey>): Credentials => {
  const states = new Map(listed.map((key) => [key.id, key]))
  const keys = restored.keys.flatMap((key) => {
    const state = states.get(key.id)
    return state === undefined ? [] : [{ ...key, expires_at: state.expiresAt, revoked_at: state.revokedAt }]
  })
  const disabled = new Map(restored.keys.map(({ id, account_id }) => [account_id, states.get(id)?.accountDisabledAt ?? null]))
  const accounts = restored.accounts.map((account) => ({ ...account, disabled_at: disabled.get(account.id) ?? null }))
  return { accounts, keys, deployment: restored.deployment }
}

const settle = (run: Run, restored: Credentials, former: Credentials | undefined): Effect.Effect<RestoredKeys, StatementFailed> =>
  Effect.gen(function* () {
    const { deployment } = restored
    const settlement = { former, withKeys: false, deployment, isMoved: false }
    const { statements, outcome } = settledKeys(restored, settlement, BigInt(Date.now()))
    for (const [sql, values] of statements) yield* run(numbered(sql), values)
    return outcome(yield* credentialsOf(run))
  })

/** Reads what the former database knows. Refuses one that a service uses, and the restored database itself. */
const readFormer = (former: Run, run: Run, name: string) =>
  Effect.gen(function* () {
    const lock = randomInt(2 ** 47)
    yield* run("SELECT pg_advisory_xact_lock($1)", [lock])
    const [isOther] = yield* former("SELECT pg_try_advisory_xact_lock($1)::int", [lock])
    if (Number(isOther?.[0]) !== 1) {
      return yield* new BackupFailed({ reason: `${name} is the restored database itself, so it does not know what came later.` })
    }
    if ((yield* storeOf(former)) === "in use") {
      return yield* new BackupFailed({ reason: `A service uses the former store ${name}. Stop it first.` })
    }
    return { given: yield* givenOf(former), credentials: yield* credentialsOf(former) }
  })

/** Settles a store that `pg_restore` has filled, in one transaction. Refuses a store that a service uses. */
export const settleRestoredPostgres = (url: string, { former, listed, onPlainText }: RestoredStoreOptions) =>
  Effect.gen(function* () {
    const { applicationName } = postgresDefaults
    const open = (at: string) =>
      openAlone({ url: at, applicationName, statementTimeoutMillis: 0, onPlainText }).pipe(
        Effect.catchTag("StatementFailed", ({ cause }) => notOpened(at, cause)),
      )
    const [run, beside] = [yield* open(url), yield* open(url)]
    yield* migrate(run, beside, { migrate: true, mustExist: true })
    const formerRun = former === undefined ? undefined : yield* open(former)
    if (formerRun !== undefined) yield* migrate(formerRun, formerRun, { migrate: false, mustExist: true })
    const name = former === undefined ? "" : nameOfStore({ adapter: "postgres", url: former })

    const work = Effect.gen(function* () {
      if ((yield* storeOf(run)) === "in use") {
        return yield* new BackupFailed({
          reason: "A service has used the restored store within the last 30 seconds. Stop it first.",
        })
      }
      const restored = yield* givenOf(run)
      const found = formerRun === undefined ? undefined : yield* readFormer(formerRun, run, name)
      const beyond = (table: "pets" | "orders"): bigint => {
        if (found === undefined) return restored[table] + skippedIds
        return found.given[table] > restored[table] ? found.given[table] : restored[table]
      }
      const given = { pets: beyond("pets"), orders: beyond("orders") }
      for (const [table, id] of Object.entries(given)) {
        if (id > 0n) yield* run("SELECT setval(pg_get_serial_sequence($1, 'id'), $2)", [table, id])
      }
      const restoredKeys = yield* credentialsOf(run)
      const mismatch = [restoredKeys, found?.credentials].map((one) => one?.deployment).filter((one) => one !== undefined)
      if (new Set(mismatch).size > 1) {
        return yield* new BackupFailed({ reason: `The restored store belongs to ${mismatch[0]}, but ${name} to ${mismatch[1]}.` })
      }
      const known = found?.credentials ?? (listed && asListed(restoredKeys, listed))
      return { given, keys: yield* settle(run, restoredKeys, known) }
    })
    return yield* inTransaction(run, work)
  }).pipe(
    Effect.catchTag("StatementFailed", ({ cause }) => notOpened(url, cause)),
    Effect.scoped,
  )
