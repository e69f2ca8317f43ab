/** `petstore restore --try`: proves that a backup can be restored, beside a running service. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { CredentialRepository, type Deployment, InventoryRepository } from "@petstore/core"
import { type DatabaseUrl, restoreStore } from "@petstore/storage"
import { freeBytes } from "@petstore/storage/internal"
import { Effect } from "effect"
import type { Config } from "../config.js"
import { backupsIn } from "../process/backups.js"
import { scarceBytes } from "./doctor/files.js"
import { restoreDump, verifyDump } from "./dump.js"
import { tryWriting } from "./files/target.js"
import { counted, type OutputOptions, print } from "./output.js"
import { CommandFailed, messageOf, provideServices, WrongUsage, warn, withConfig } from "./program.js"
import { withSteps } from "./progress.js"

export interface RestoreOptions extends OutputOptions {
  readonly replace?: true
  readonly unverified?: true
  readonly try?: true
  readonly withKeys?: true
  readonly as?: Deployment
}

/** What shows that a restored store is the one that was meant. */
export const shownBy = (checksum: string, { unverified }: RestoreOptions): string =>
  unverified === true ? `its pages are whole, and it has the checksum ${checksum}` : `verified by the checksum ${checksum}`

/** How old the folder of a try may be. An older one was left by a killed command. */
const tryMaximumMillis = 86_400_000

/** A new folder beside the store, where a restore of it would need room too. Removed at the end. */
const folderForTrying = (store: string) => {
  const prefix = `${basename(store)}.try-`
  return Effect.acquireRelease(
    tryWriting(dirname(store), async () => {
      for (const name of readdirSync(dirname(store)).filter((other) => other.startsWith(prefix))) {
        const left = join(dirname(store), name)
        const madeAt = statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
        if (Date.now() - madeAt > tryMaximumMillis) rmSync(left, { recursive: true, force: true })
      }
      return mkdtempSync(join(dirname(store), prefix))
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
  )
}

/** The file itself, or the newest backup in a folder. */
export const newestOf = (file: string, database: DatabaseUrl): Effect.Effect<string, CommandFailed> =>
  Effect.gen(function* () {
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) return file
    const newest = yield* tryReading(file, () => backupsIn(file, database).at(-1)?.file)
    if (newest === undefined) return yield* new CommandFailed({ reason: `${file} has no backup of this store.` })
    warn(`The newest backup is ${newest}.`)
    return newest
  })

const tryReading = <A>(what: string, work: () => A): Effect.Effect<A, CommandFailed> =>
  Effect.try({ try: work, catch: (thrown) => new CommandFailed({ reason: `${what} cannot be read: ${messageOf(thrown)}.` }) })

/** Opens a restored store as a service would, and counts what is in it. */
const look = (config: Config, database: DatabaseUrl) =>
  provideServices(
    { ...config, database, migrate: true },
    Effect.gen(function* () {
      const { kept, counted: there } = yield* (yield* InventoryRepository).recount
      const keys = yield* (yield* CredentialRepository).listApiKeys
      return { isCounted: kept.total === there.total, pets: there.total, keys: keys.length }
    }),
  )

/** Restores a backup into a temporary folder, or a dump into a temporary database of the same server. */
const attempt = (config: Config, file: string, unverified: boolean) =>
  Effect.gen(function* () {
    const { database } = config
    if (database.adapter === "postgres") {
      const checksum = yield* verifyDump(file)
      const url = yield* restoreDump(database.url, file)
      return { place: "database", checksum, ...(yield* look(config, { ...database, url })) }
    }
    if (!("path" in database)) return yield* new WrongUsage({ reason: "A store in memory has no backups." })
    const folder = yield* folderForTrying(resolve(database.path))
    yield* refuseScarce(folder, file)
    const place: DatabaseUrl = { ...database, path: join(folder, basename(database.path)) }
    const { checksum } = yield* withSteps("restore", (onStep) =>
      restoreStore(place, file, { replace: false, withKeys: true, unverified, onStep }),
    ).pipe(Effect.catchTag("BackupOfAnotherDeployment", Effect.die))
    return { place: "folder", checksum, ...(yield* look(config, place)) }
  }).pipe(Effect.scoped)

export const tryRestore = (given: string, options: RestoreOptions) =>
  withConfig(function* (config) {
    if (options.replace ?? options.withKeys ?? options.as) {
      return yield* new WrongUsage({ reason: "--try changes no store: leave out --replace, --with-keys and --as." })
    }
    const file = yield* newestOf(given, config.database)
    const startedAt = performance.now()
    const { place, pets, checksum, isCounted, keys } = yield* attempt(config, file, options.unverified === true)
    if (!isCounted) {
      return yield* new CommandFailed({ reason: `${file} was restored, but its inventory differs from its animals.` })
    }
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    print(
      options,
      { file, pets: Number(pets), keys, checksum, seconds: Number(seconds) },
      `${file} can be restored: ${counted(pets, "animal")} and ${counted(keys, "key")}, ${shownBy(checksum, options)}. It took ${seconds} s in a temporary ${place}, which is gone.`,
    )
  })

/** Leaves the running service enough room. */
const refuseScarce = (folder: string, file: string) => {
  const needed = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) + scarceBytes
  return freeBytes(folder) > needed
    ? Effect.void
    : new CommandFailed({ reason: `${dirname(folder)} has too little room to try a restore: ${needed} bytes are needed.` })
}
