import { mkdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { Deployment } from "@petstore/core"
import { backupStore, type DatabaseUrl, type RestoredKeys, restoreStore } from "@petstore/storage"
import { Effect, Option } from "effect"
import type { Config } from "../config.js"
import { backupsIn, nameBackup } from "../process/backups.js"
import { besideDump, dumpStore } from "./dump.js"
import { targetOf, tryWriting } from "./files/target.js"
import { counted, type OutputOptions, print } from "./output.js"
import { createKey, quoted, sameStore } from "./pasted.js"
import { CommandFailed, WrongUsage, withConfig } from "./program.js"
import { withSteps } from "./progress.js"
import { sayStore } from "./store.js"
import { newestOf, type RestoreOptions, shownBy, tryRestore } from "./try-restore.js"

interface BackupOptions extends OutputOptions {
  readonly replace?: true
  readonly into?: string
  readonly keep?: number
}

/** Names a backup in a folder, which is created if it is missing. */
const fileIn = (folder: string, database: DatabaseUrl): Effect.Effect<string, CommandFailed | WrongUsage> => {
  const name = nameBackup(database)
  if (name === undefined) return new WrongUsage({ reason: "A store in memory cannot be backed up." })
  return Effect.as(
    tryWriting(folder, async () => mkdirSync(folder, { recursive: true, mode: 0o700 })),
    join(folder, name),
  )
}

/** Deletes the oldest backups of the store in a folder, until `keep` are left. The one just made stays, whatever its clock said. */
const prune = (made: string, keep: number, database: DatabaseUrl): ReadonlyArray<string> => {
  const older = backupsIn(dirname(made), database).filter(({ file }) => file !== made)
  const deleted = older.slice(0, Math.max(0, older.length + 1 - keep))
  for (const { file } of deleted) {
    rmSync(file)
    for (const beside of besideDump(file)) rmSync(beside, { force: true })
  }
  return deleted.map(({ file }) => basename(file))
}

export const backup = (given: string | undefined, options: BackupOptions) =>
  withConfig(function* (config) {
    const { database } = config
    const replace = options.replace === true
    const { into, keep } = options
    if ((given === undefined) === (into === undefined) || (keep !== undefined && into === undefined)) {
      return yield* new WrongUsage({ reason: "Name either a file, or a folder with --into and perhaps --keep." })
    }
    const file = given ?? (yield* fileIn(into ?? "", database))
    const target = yield* targetOf(file, { database, replace })
    const made =
      database.adapter === "postgres"
        ? yield* dumpStore(config, database.url, target, replace)
        : yield* withSteps("backup", (onStep) => backupStore(database, target, { replace, onStep }))
    const deleted = keep === undefined ? [] : yield* tryWriting(dirname(file), async () => prune(file, keep, database))
    yield* sayStore(database)
    const pruned = deleted.length === 0 ? "" : ` Deleted ${counted(deleted.length, "older backup")}.`
    const { pets, ...proof } = made
    const shown =
      "list" in proof
        ? `${file} is a dump of the whole database, which pg_restore has read again: ${counted(pets, "animal")}, with the checksum ${proof.checksum}. The states of the keys are in ${proof.list}.`
        : `${file} is a copy of the whole store: ${counted(pets, "animal")}, verified by the checksum ${proof.checksum}.`
    print(options, { file, pets: Number(pets), ...proof, ...(keep !== undefined && { deleted }) }, `${shown}${pruned}`)
  })

const are = (count: number): string => (count === 1 ? "is" : "are")

/** What a restore did with the API keys, and what to do next. */
export const aboutKeys = (
  config: Config,
  { added, ended, revoked, trusted, accepted, account }: RestoredKeys,
  { as, accept }: { readonly as?: Deployment | undefined; readonly accept: string },
) => {
  const unknown = (count: number) => `it is unknown whether ${count === 1 ? "it has" : "they have"} been revoked since then`
  const why = as === undefined ? `${unknown(revoked)}. ${accept}` : `this store now belongs to ${as}`
  const outcomes = [
    [ended, `in the backup ${are(ended)} revoked or limited in time, as in the previous store.`],
    [added, `from the previous store ${are(added)} kept, although the backup does not contain ${added === 1 ? "it" : "them"}.`],
    [revoked, `in the backup ${are(revoked)} revoked: ${why}.`],
    [trusted, `${are(trusted)} accepted as in the backup, although ${unknown(trusted)}. Check them: petstore keys list`],
  ] as const
  const create = `${account === undefined ? "" : sameStore(config)}${createKey(account)}`
  const next = revoked > 0 || accepted === 0 ? ` Create a new one: ${create}` : ""
  const lines = outcomes.filter(([count]) => count > 0).map(([count, outcome]) => `${counted(count, "key")} ${outcome}`)
  return [...lines, `${counted(accepted, "key")} ${are(accepted)} accepted now.${next}`]
}

/** Restores a backup. If it belongs to another deployment, the restore fails with a message that names the right command. */
const restoreFile = (
  { database, namedDeployment }: Config,
  file: string,
  { replace, withKeys, unverified, as }: RestoreOptions,
) =>
  withSteps("restore", (onStep) =>
    restoreStore(database, file, {
      replace: replace === true,
      withKeys: withKeys === true,
      unverified: unverified === true,
      onStep,
      ...(Option.isSome(namedDeployment) && { deployment: namedDeployment.value }),
      ...(as !== undefined && { as }),
    }),
  ).pipe(
    Effect.catchTag("BackupOfAnotherDeployment", ({ backup: kept, ours }) => {
      const command = `petstore restore --as ${ours} ${replace === true ? "--replace " : ""}${unverified === true ? "--unverified " : ""}${quoted(file)}`
      const reason = `${file} is a backup of ${kept}, and ${Option.isSome(namedDeployment) ? "this command" : "the store"} belongs to ${ours}. To create a ${ours} store from it, with its keys revoked: ${command}`
      return new CommandFailed({ reason })
    }),
  )

const restoreInPlace = (given: string, options: RestoreOptions) =>
  withConfig(function* (config) {
    const { database, namedDeployment } = config
    const { withKeys, as } = options
    if (withKeys === true && as !== undefined) {
      return yield* new WrongUsage({ reason: "--as revokes the backup's keys: leave out --with-keys." })
    }
    if (as !== undefined && Option.isSome(namedDeployment) && namedDeployment.value !== as) {
      return yield* new WrongUsage({ reason: `--as ${as} and PETSTORE_ENV=${namedDeployment.value} contradict each other.` })
    }
    const file = yield* newestOf(given, database)
    const { pets, checksum, movedAside, wasDamaged, keys } = yield* restoreFile(config, file, options)
    yield* sayStore(database, true)
    const accept = "To accept all of them, move this store aside and restore again with --with-keys"
    for (const line of aboutKeys(config, keys, { as, accept })) process.stderr.write(`petstore: ${line}\n`)
    const former = wasDamaged ? "The previous store is damaged: it" : "The previous store"
    const before = movedAside === undefined ? "" : ` ${former} is at ${movedAside}.`
    const { account: _, ...counts } = keys
    print(
      options,
      { pets: Number(pets), checksum, movedAside: movedAside ?? null, wasDamaged, keys: counts },
      `The store has been restored: ${counted(pets, "animal")}, ${shownBy(checksum, options)}.${before}`,
    )
  })

export const restore = (file: string, options: RestoreOptions) =>
  options.try === true ? tryRestore(file, options) : restoreInPlace(file, options)
