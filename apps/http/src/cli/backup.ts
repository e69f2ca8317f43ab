/** `petstore backup` and `petstore restore`: copy the whole store to one file, and restore it from there. */
import type { Deployment } from "@petstore/core"
import { backupStore, type RestoredKeys, restoreStore } from "@petstore/storage"
import { Effect, Option } from "effect"
import type { Config } from "../config.js"
import { targetOf } from "./files/target.js"
import { counted, type OutputOptions, print } from "./output.js"
import { createKey, quoted, sameStore } from "./pasted.js"
import { CommandFailed, WrongUsage, withConfig } from "./program.js"
import { withSteps } from "./progress.js"
import { sayStore } from "./store.js"

export interface BackupOptions extends OutputOptions {
  readonly replace?: true
}

export const backup = (file: string, options: BackupOptions) =>
  withConfig(function* ({ database }) {
    const replace = options.replace === true
    const target = yield* targetOf(file, { database, replace })
    const { pets, checksum } = yield* withSteps("backup", (onStep) => backupStore(database, target, { replace, onStep }))
    yield* sayStore(database)
    print(
      options,
      { file, pets: Number(pets), checksum },
      `${file} holds the store as it was: ${counted(pets, "pet")}, verified by the checksum ${checksum}.`,
    )
  })

export interface RestoreOptions extends OutputOptions {
  readonly replace?: true
  readonly withKeys?: true
  readonly as?: Deployment
}

const are = (count: number): string => (count === 1 ? "is" : "are")
const they = (count: number): string => (count === 1 ? "it was" : "they were")

/** Describes what a restore did with the API keys, and what to do next. */
const aboutKeys = (config: Config, { added, ended, revoked, trusted, accepted, account }: RestoredKeys, as?: Deployment) => {
  const lines: Array<string> = []
  if (ended > 0)
    lines.push(`${counted(ended, "key")} of the backup ${are(ended)} revoked or limited in time, as in the previous store.`)
  if (added > 0) lines.push(`${counted(added, "key")} of the previous store ${are(added)} kept. The backup has no such key.`)
  if (revoked > 0) {
    const why =
      as === undefined
        ? `it is unknown whether ${they(revoked)} revoked since. To accept all of them, move this store away and restore once more, with --with-keys`
        : `this store belongs to ${as} now`
    lines.push(`${counted(revoked, "key")} of the backup ${are(revoked)} revoked: ${why}.`)
  }
  if (trusted > 0) {
    lines.push(
      `${counted(trusted, "key")} ${are(trusted)} accepted as in the backup, although it is unknown whether ${they(trusted)} revoked since. Check them: petstore keys list`,
    )
  }
  const create = `${account === undefined ? "" : sameStore(config)}${createKey(account)}`
  const next = revoked > 0 || accepted === 0 ? ` Make a new one: ${create}` : ""
  return [...lines, `${counted(accepted, "key")} ${are(accepted)} accepted now.${next}`]
}

/** Restores a backup. If it belongs to another deployment, this fails with the command that restores it anyway. */
const restoreFile = ({ database, namedDeployment }: Config, file: string, { replace, withKeys, as }: RestoreOptions) =>
  withSteps("restore", (onStep) =>
    restoreStore(database, file, {
      replace: replace === true,
      withKeys: withKeys === true,
      onStep,
      ...(Option.isSome(namedDeployment) && { deployment: namedDeployment.value }),
      ...(as !== undefined && { as }),
    }),
  ).pipe(
    Effect.catchTag("BackupOfAnotherDeployment", ({ backup: kept, ours }) => {
      const command = `petstore restore --as ${ours} ${replace === true ? "--replace " : ""}${quoted(file)}`
      const reason = `${file} is a backup of ${kept}, and ${Option.isSome(namedDeployment) ? "this command" : "the store"} belongs to ${ours}. To make a store of ${ours} from it, with its keys revoked: ${command}`
      return new CommandFailed({ reason })
    }),
  )

export const restore = (file: string, options: RestoreOptions) =>
  withConfig(function* (config) {
    const { database, namedDeployment } = config
    const { withKeys, as } = options
    if (withKeys === true && as !== undefined) {
      return yield* new WrongUsage({ reason: "--as revokes the keys of the backup: leave out --with-keys." })
    }
    if (as !== undefined && Option.isSome(namedDeployment) && namedDeployment.value !== as) {
      return yield* new WrongUsage({ reason: `--as ${as} and PETSTORE_ENV=${namedDeployment.value} contradict each other.` })
    }
    const { pets, checksum, movedAside, wasDamaged, keys } = yield* restoreFile(config, file, options)
    yield* sayStore(database, true)
    for (const line of aboutKeys(config, keys, as)) process.stderr.write(`petstore: ${line}\n`)
    const former = wasDamaged ? "The previous store is damaged: it" : "The previous store"
    const before = movedAside === undefined ? "" : ` ${former} is at ${movedAside}.`
    const { account: _, ...counts } = keys
    print(
      options,
      { pets: Number(pets), checksum, movedAside: movedAside ?? null, wasDamaged, keys: counts },
      `The store is restored: ${counted(pets, "pet")}, verified by the checksum ${checksum}.${before}`,
    )
  })
