/** A restore reactivates no revoked API key, and loses no account and no API key. */
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import {
  authenticate,
  CredentialRepository,
  createAccount,
  createApiKey,
  type Deployment,
  disableAccount,
  enableAccount,
  revokeApiKey,
  rotateApiKey,
} from "@petstore/core"
import { claimStoreDeployment, findStoreDeployment } from "@petstore/core/internal"
import { Effect, Option } from "effect"
import { describe, expect } from "vitest"
import { backupStore, restoreStore } from "../../src/backup.js"
import { BackupOfAnotherDeployment } from "../../src/backup-failed.js"
import { nodeCryptography } from "../../src/node-cryptography.js"
import { restoreMarker } from "../../src/sqlite/engine/store-file.js"
import { storage } from "../../src/storage.js"
import type { RestoreOptions } from "../../src/store-copy.js"
import { change, withFile } from "../sqlite-file.js"

/** A test's helpers for its store, on one engine. */
const placeOf = (adapter: "sqlite" | "sqljs", path: string) => {
  const url = { adapter, path } as const
  const file = join(dirname(path), "backup.db")
  const at = (where: string) => storage({ adapter, path: where }, { migrate: true })

  return {
    path,
    file,

    account: (name: string) => createAccount(name).pipe(Effect.provide(at(path)), Effect.provide(nodeCryptography)),

    key: (accountName: string, deployment: Deployment = "production", readOnly = false) =>
      createApiKey({ accountName, deployment, readOnly }).pipe(Effect.provide(at(path)), Effect.provide(nodeCryptography)),

    disable: (name: string) => Effect.provide(disableAccount(name), at(path)),

    enable: (name: string) => Effect.provide(enableAccount(name), at(path)),

    revoke: (id: string) => Effect.provide(revokeApiKey(id), at(path)),

    rotate: (keyId: string, overlapMillis: number) =>
      rotateApiKey(keyId, { overlapMillis }).pipe(Effect.provide(at(path)), Effect.provide(nodeCryptography)),

    claim: (deployment: Deployment) => Effect.provide(claimStoreDeployment(Option.some(deployment)), at(path)),

    deployment: Effect.suspend(() => Effect.provide(findStoreDeployment, at(path))),

    /** Whether the store accepts each of these secrets. */
    accepted: (secrets: ReadonlyArray<string>, deployment: Deployment = "production") =>
      Effect.forEach(secrets, (secret) =>
        Effect.map(Effect.either(authenticate(secret, deployment)), ({ _tag }) => _tag === "Right"),
      ).pipe(Effect.provide(at(path)), Effect.provide(nodeCryptography)),

    keys: Effect.suspend(() =>
      Effect.flatMap(CredentialRepository, ({ listApiKeys }) => listApiKeys).pipe(Effect.provide(at(path))),
    ),

    accounts: Effect.suspend(() =>
      Effect.flatMap(CredentialRepository, ({ listAccounts }) => listAccounts).pipe(Effect.provide(at(path))),
    ),

    backup: backupStore(url, file),

    restore: (options: Partial<RestoreOptions> = {}) => restoreStore(url, file, { replace: true, ...options }),
  }
}

type Place = ReturnType<typeof placeOf>

const contractTest = (adapter: "sqlite" | "sqljs", name: string, test: (place: Place) => Effect.Effect<void, unknown>) =>
  withFile(name, (path) => test(placeOf(adapter, path)))

const promise = (name: string, test: (place: Place) => Effect.Effect<void, unknown>) => contractTest("sqlite", name, test)

/** The statements are the same on both engines, so sql.js can differ only in reading a read-only file. */
const contractTestBoth = (name: string, test: (place: Place) => Effect.Effect<void, unknown>) => {
  promise(name, test)
  contractTest("sqljs", `${name} (on sql.js)`, test)
}

describe("a restore", () => {
  promise("revokes a key that was revoked after the backup, and leaves the other keys valid", (place) =>
    Effect.gen(function* () {
      yield* place.account("shop")
      const [leaked, good] = [yield* place.key("shop"), yield* place.key("shop")]
      yield* place.backup
      const { revokedAt } = yield* place.revoke(leaked.apiKey.id)
      const { keys } = yield* place.restore()
      expect(keys).toStrictEqual({ added: 0, ended: 1, revoked: 0, trusted: 0, accepted: 1, account: "shop" })
      expect(yield* place.accepted([leaked.secret, good.secret])).toStrictEqual([false, true])
      expect((yield* place.keys).find(({ id }) => id === leaked.apiKey.id)?.revokedAt).toStrictEqual(revokedAt)
    }),
  )

  promise("does not reactivate a revoked key even if the caller asks to accept all keys", (place) =>
    Effect.gen(function* () {
      yield* place.account("shop")
      const leaked = yield* place.key("shop")
      yield* place.backup
      yield* place.revoke(leaked.apiKey.id)
      expect((yield* place.restore({ withKeys: true })).keys).toMatchObject({ ended: 1, trusted: 0, accepted: 0 })
      expect(yield* place.accepted([leaked.secret])).toStrictEqual([false])
    }),
  )

  contractTestBoth("keeps accounts and keys created after the backup, and the expiry of a rotated key", (place) =>
    Effect.gen(function* () {
      yield* place.account("shop")
      const former = yield* place.key("shop")
      yield* place.backup
      const rotated = yield* place.rotate(former.apiKey.id, 3_600_000)
      yield* place.account("bakery")
      const later = yield* place.key("bakery")
      const before = yield* place.keys
      const { keys } = yield* place.restore()
      expect(keys).toStrictEqual({ added: 2, ended: 1, revoked: 0, trusted: 0, accepted: 3, account: "shop" })
      expect(yield* place.accepted([former.secret, rotated.secret, later.secret])).toStrictEqual([true, true, true])
      const withoutUse = (all: typeof before) => all.map(({ lastUsedOn: _, ...key }) => key)
      expect(withoutUse(yield* place.keys)).toStrictEqual(withoutUse(before))
      expect((yield* place.accounts).map(({ name }) => name)).toStrictEqual(["shop", "bakery"])
    }),
  )

  promise("refuses the keys of an account that was disabled at the backup or since then", (place) =>
    Effect.gen(function* () {
      yield* Effect.forEach(["shop", "bakery"], place.account)
      const secrets = [(yield* place.key("shop")).secret, (yield* place.key("bakery")).secret]
      yield* place.disable("bakery")
      yield* place.backup
      yield* place.enable("bakery")
      yield* place.disable("shop")
      expect((yield* place.restore()).keys).toStrictEqual({
        added: 0,
        ended: 0,
        revoked: 0,
        trusted: 0,
        accepted: 0,
        account: "shop",
      })
      expect(yield* place.accepted(secrets)).toStrictEqual([false, false])
      yield* Effect.forEach(["shop", "bakery"], place.enable)
      expect(yield* place.accepted(secrets)).toStrictEqual([true, true])
    }),
  )

  promise("assigns an account's newer keys to the backup's account of the same name", (place) =>
    Effect.gen(function* () {
      const { id } = yield* place.account("shop")
      yield* place.key("shop")
      yield* place.backup
      rmSync(place.path)
      yield* place.account("shop")
      const later = yield* place.key("shop")
      yield* place.restore()
      expect((yield* place.accounts).map((account) => account.id)).toStrictEqual([id])
      expect((yield* place.keys).find((key) => key.id === later.apiKey.id)?.accountId).toBe(id)
      expect(yield* place.accepted([later.secret])).toStrictEqual([true])
    }),
  )

  promise("revokes every key if there is no former store, unless the caller asks to accept the keys", (place) =>
    Effect.gen(function* () {
      yield* place.account("shop")
      const [one, other] = [yield* place.key("shop"), yield* place.key("shop")]
      yield* place.revoke(other.apiKey.id)
      yield* place.backup
      rmSync(place.path)
      const secrets = [one.secret, other.secret]
      expect((yield* place.restore()).keys).toStrictEqual({
        added: 0,
        ended: 0,
        revoked: 1,
        trusted: 0,
        accepted: 0,
        account: "shop",
      })
      expect(yield* place.accepted(secrets)).toStrictEqual([false, false])
      rmSync(place.path)
      expect((yield* place.restore({ withKeys: true })).keys).toMatchObject({ revoked: 0, trusted: 1, accepted: 1 })
      expect(yield* place.accepted(secrets)).toStrictEqual([true, false])
    }),
  )

  promise("revokes the keys that are not in the former store", (place) =>
    Effect.gen(function* () {
      yield* place.account("shop")
      const foreign = yield* place.key("shop")
      yield* place.backup
      rmSync(place.path)
      yield* place.account("another shop")
      const ours = yield* place.key("another shop")
      expect((yield* place.restore()).keys).toMatchObject({ added: 1, revoked: 1, accepted: 1 })
      expect(yield* place.accepted([foreign.secret, ours.secret])).toStrictEqual([false, true])
    }),
  )

  for (const [what, damage] of [
    ["is not a database", (path: string) => writeFileSync(path, "no database at all")],
    ["is empty", (path: string) => writeFileSync(path, "")],
    [
      "has a key that contradicts its index",
      (path: string) => {
        // A row has the hash after its identifiers; an index has only the hash.
        const bytes = readFileSync(path, "latin1").replaceAll(/(key_\w{16}acc_\w{16})[0-9a-f]/g, "$1?")
        writeFileSync(path, bytes, "latin1")
      },
    ],
  ] as const) {
    promise(`revokes every key if the former store ${what}`, (place) =>
      Effect.gen(function* () {
        yield* place.account("shop")
        const { secret } = yield* place.key("shop")
        yield* place.backup
        damage(place.path)
        expect((yield* place.restore()).keys).toMatchObject({ revoked: 1, accepted: 0 })
        expect(yield* place.accepted([secret])).toStrictEqual([false])
      }),
    )
  }

  promise("reads the keys in the store that an interrupted restore moved aside", (place) =>
    Effect.gen(function* () {
      yield* place.account("shop")
      const [leaked, good] = [yield* place.key("shop"), yield* place.key("shop")]
      yield* place.backup
      yield* place.revoke(leaked.apiKey.id)
      const aside = `${place.path}.before-restore-2026-11-22`
      change(place.path, "PRAGMA journal_mode = DELETE")
      renameSync(place.path, aside)
      writeFileSync(restoreMarker(place.path), `${aside}\n`)
      expect((yield* place.restore()).keys).toMatchObject({ ended: 1, revoked: 0, accepted: 1 })
      expect(yield* place.accepted([leaked.secret, good.secret])).toStrictEqual([false, true])
      expect(existsSync(aside)).toBe(true)
    }),
  )

  promise("revokes every key if an interrupted restore separated the former store from its log", (place) =>
    Effect.gen(function* () {
      yield* place.account("shop")
      const leaked = yield* place.key("shop")
      yield* place.backup
      const aside = `${place.path}.before-restore-2026-11-22`
      const connection = new DatabaseSync(place.path)
      connection.exec("PRAGMA journal_mode = WAL; UPDATE api_keys SET revoked_at = 1")
      // As after a restore that was killed after it moved the file, but before it moved the log with the key's revocation.
      copyFileSync(place.path, aside)
      const log = readFileSync(`${place.path}-wal`)
      connection.close()
      rmSync(place.path)
      writeFileSync(`${place.path}-wal`, log)
      writeFileSync(restoreMarker(place.path), `${aside}\n`)
      expect((yield* place.restore()).keys).toMatchObject({ revoked: 1, accepted: 0 })
      expect(yield* place.accepted([leaked.secret])).toStrictEqual([false])
    }),
  )

  promise("does not trust the keys in the store that an interrupted restore put in place", (place) =>
    Effect.gen(function* () {
      yield* place.account("shop")
      const leaked = yield* place.key("shop")
      yield* place.backup
      // As after a restore over a damaged store that accepted every key and was killed just before its end.
      const aside = `${place.path}.before-restore-2026-11-22`
      writeFileSync(aside, "no database at all")
      writeFileSync(restoreMarker(place.path), `${aside}\n`)
      expect((yield* place.restore()).keys).toMatchObject({ revoked: 1, accepted: 0 })
      expect(yield* place.accepted([leaked.secret])).toStrictEqual([false])
    }),
  )

  promise("keeps read-only keys unchanged, both the backup's and newer ones", (place) =>
    Effect.gen(function* () {
      yield* place.account("shop")
      yield* place.key("shop", "production", true)
      yield* place.key("shop")
      yield* place.backup
      yield* place.key("shop", "production", true)
      yield* place.key("shop")
      expect((yield* place.restore()).keys).toMatchObject({ added: 2, accepted: 4 })
      expect((yield* place.keys).map(({ readOnly }) => readOnly).toSorted()).toStrictEqual([false, false, true, true])
    }),
  )

  promise("refuses a backup from before 1.0.0", (place) =>
    Effect.gen(function* () {
      yield* place.account("shop")
      change(place.path, "PRAGMA user_version = 19")
      yield* place.backup
      const { message } = yield* Effect.flip(place.restore())
      expect(message).toMatch(/is from before 1\.0\.0, .* Nothing was changed\.$/)
    }),
  )

  promise("is refused if only a newer release could open the result", (place) =>
    Effect.gen(function* () {
      yield* place.account("shop")
      const file = new DatabaseSync(place.path, { readOnly: true })
      const known = file.prepare("PRAGMA user_version").get()?.["user_version"]
      file.close()
      change(place.path, "PRAGMA user_version = 999")
      yield* place.backup
      change(place.path, `PRAGMA user_version = ${known}`)
      const { message } = yield* Effect.flip(place.restore())
      expect(message).toMatch(/has schema version 999, which is newer than the latest one that this program supports \(\d+\)/)
      expect(yield* place.accounts).toHaveLength(1)
    }),
  )
})

describe("a backup of another deployment", () => {
  /** Creates a backup of production, and removes the store. */
  const ofProduction = (place: Place) =>
    Effect.gen(function* () {
      yield* place.account("shop")
      const key = yield* place.key("shop")
      yield* place.claim("production")
      yield* place.backup
      rmSync(place.path)
      return key
    })

  const names = (place: Place) => readdirSync(dirname(place.path)).map((name) => name.replace(basename(place.path), "STORE"))

  promise("is refused, and no store is created", (place) =>
    Effect.gen(function* () {
      yield* ofProduction(place)
      const failure = yield* Effect.flip(place.restore({ deployment: "staging", replace: false }))
      expect(failure).toStrictEqual(new BackupOfAnotherDeployment({ backup: "production", ours: "staging" }))
      expect(names(place)).not.toContain("STORE")
      expect(names(place)).not.toContain("STORE.unfinished")
    }),
  )

  promise("is refused over a store of another deployment, even if the caller names no deployment", (place) =>
    Effect.gen(function* () {
      yield* ofProduction(place)
      yield* place.claim("staging")
      expect(yield* Effect.flip(place.restore())).toStrictEqual(
        new BackupOfAnotherDeployment({ backup: "production", ours: "staging" }),
      )
      expect(yield* place.deployment).toStrictEqual(Option.some("staging"))
    }),
  )

  contractTestBoth(
    "can be restored as another deployment, which revokes the backup's keys and keeps the former store's keys",
    (place) =>
      Effect.gen(function* () {
        const live = yield* ofProduction(place)
        yield* place.claim("staging")
        yield* place.account("tester")
        const test = yield* place.key("tester", "staging")
        const { keys } = yield* place.restore({ as: "staging" })
        expect(keys).toMatchObject({ added: 1, revoked: 1, accepted: 1 })
        expect(yield* place.deployment).toStrictEqual(Option.some("staging"))
        expect(yield* place.accepted([test.secret], "staging")).toStrictEqual([true])
        expect(yield* place.accepted([live.secret])).toStrictEqual([false])
      }),
  )

  promise("cannot be restored as a deployment to which the existing store does not belong", (place) =>
    Effect.gen(function* () {
      yield* ofProduction(place)
      yield* place.claim("production")
      const { message } = yield* Effect.flip(place.restore({ as: "staging" }))
      expect(message).toContain(`The store at ${place.path} belongs to production`)
      expect(yield* place.deployment).toStrictEqual(Option.some("production"))
    }),
  )
})
