/** What becomes of API keys when a store goes back to an older state: unlike pets, they do not revert (decision 0032). */
import { type Deployment, deployments } from "@petstore/core"
import { apiKeysTable } from "./copy/tables.js"
import type { RestoredKeys, RestoreOptions } from "./store-copy.js"

/** Timestamps are ms since 1970. */
export interface KeyRow {
  readonly id: string
  readonly account_id: string
  readonly hash: string
  readonly deployment: string
  readonly created_at: bigint
  readonly expires_at: bigint | null
  readonly revoked_at: bigint | null
  readonly last_used_on: string | null
  readonly label: string | null
  readonly replaced_by: string | null
  readonly read_only: bigint
}

/** The columns of `api_keys`. Safe: a row has these members. */
export const keyColumns = Object.keys(apiKeysTable.columns) as ReadonlyArray<keyof typeof apiKeysTable.columns>

export interface AccountRow {
  readonly id: string
  readonly name: string
  readonly created_at: bigint
  readonly disabled_at: bigint | null
}

/** A store's accounts and keys, oldest first, and its deployment. */
export interface Credentials {
  readonly accounts: ReadonlyArray<AccountRow>
  readonly keys: ReadonlyArray<KeyRow>
  readonly deployment: Deployment | undefined
}

/** The deployment that a store records (`mark`) or, without a record, that all its keys share, as in core's `findStoreDeployment`. */
export const deploymentOf = (mark: unknown, keys: ReadonlyArray<KeyRow>): Deployment | undefined => {
  const [one, ...others] = new Set(keys.map(({ deployment }) => deployment))
  const name = mark ?? (others.length === 0 ? one : undefined)
  return deployments.find((deployment) => deployment === name)
}

const earlier = (one: bigint | null, other: bigint | null): bigint | null =>
  one === null || (other !== null && other < one) ? other : one

const isOver = ({ revoked_at, expires_at }: KeyRow, now: bigint): boolean =>
  revoked_at !== null || (expires_at !== null && expires_at <= now)

/** Merges a key's states in two stores. The key is refused if either store refuses it. */
const joined = (one: KeyRow, other: KeyRow | undefined): KeyRow =>
  other === undefined
    ? one
    : {
        ...one,
        expires_at: earlier(one.expires_at, other.expires_at),
        revoked_at: earlier(one.revoked_at, other.revoked_at),
        replaced_by: other.replaced_by ?? one.replaced_by,
        last_used_on: [one.last_used_on, other.last_used_on].toSorted().findLast((day) => day !== null) ?? null,
      }

export interface Settlement extends Pick<RestoreOptions, "withKeys"> {
  /** The former store's credentials; `undefined` if the store did not exist or was unreadable. */
  readonly former: Credentials | undefined
  /** The restored store's deployment, if it is known. */
  readonly deployment: Deployment | undefined
  /** Whether the backup belongs to another deployment, which makes its keys useless. */
  readonly isMoved: boolean
}

/** The columns of a key that a store's later state may change. */
const settledColumns = ["expires_at", "revoked_at", "last_used_on", "replaced_by"] as const

const updateKey = `UPDATE api_keys SET ${settledColumns.map((name) => `${name} = ?`).join()} WHERE hash = ?`

// By name, because the backup may have a different account with that name if the store has been recreated since then.
const insertKey = `INSERT INTO api_keys (${keyColumns.join()})
  VALUES (${keyColumns.map((name) => (name === "account_id" ? "(SELECT id FROM accounts WHERE name = ?)" : "?")).join()})`

const accountStatements = ({ id, name, created_at, disabled_at }: AccountRow): ReadonlyArray<SettlingStatement> => [
  ["INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", [id, name, created_at]],
  // As a key, an account is refused if either store refuses it.
  ["UPDATE accounts SET disabled_at = coalesce(disabled_at, ?) WHERE name = ?", [disabled_at, name]],
]

/** A statement with `?` parameters, and its values. */
type SettlingStatement = readonly [sql: string, values: ReadonlyArray<string | bigint | null>]

/** Settles the accounts and keys of a backup by statements, which add what the former store has and the backup does not. */
export const settledKeys = (backup: Credentials, { former, withKeys, deployment, isMoved }: Settlement, now: bigint) => {
  const { accounts, keys } = former ?? { accounts: [], keys: [] }
  const known = new Map(keys.map((key) => [key.hash, key]))
  const backedUp = new Set(backup.keys.map(({ hash }) => hash))
  const settled = backup.keys.map((key) => {
    const told = known.get(key.hash)
    const next = joined(key, told)
    if (isMoved ? key.deployment !== deployment || told === undefined : told === undefined && withKeys !== true) {
      return { next: { ...next, revoked_at: next.revoked_at ?? now }, isRevoked: next.revoked_at === null }
    }
    const hasEnded = key.revoked_at !== next.revoked_at || key.expires_at !== next.expires_at
    return { next, hasEnded, isTrusted: told === undefined && !isOver(next, now) }
  })
  const added = keys.filter(({ hash }) => !backedUp.has(hash))
  const count = (is: (outcome: (typeof settled)[number]) => boolean | undefined) => settled.filter(is).length
  /** What was done, once the changes are in the store, which then has these credentials. */
  const outcome = (result: Credentials): RestoredKeys => {
    const disabled = new Set(result.accounts.flatMap(({ id, disabled_at }) => (disabled_at === null ? [] : [id])))
    return {
      added: added.length,
      ended: count(({ hasEnded }) => hasEnded),
      revoked: count(({ isRevoked }) => isRevoked),
      trusted: count(({ isTrusted }) => isTrusted),
      accepted: result.keys.filter((key) => !isOver(key, now) && !disabled.has(key.account_id)).length,
      account: result.accounts[0]?.name,
    }
  }
  const nameOf = new Map(accounts.map(({ id, name }) => [id, name]))
  const statements: ReadonlyArray<SettlingStatement> = [
    ...accounts.flatMap(accountStatements),
    ...settled.map(({ next }) => [updateKey, [...settledColumns.map((name) => next[name]), next.hash]] as const),
    ...added
      .map((key) => ({ ...key, account_id: nameOf.get(key.account_id) ?? null }))
      .map((row) => [insertKey, keyColumns.map((name) => row[name])] as const),
  ]
  return { statements, outcome }
}
