/** Checks the newest backup, and a store that is a backup under the store's name: whether they still have their checksums. */
import type { BackupFailed, DatabaseUrl } from "@petstore/storage"
import { verifyBackup } from "@petstore/storage/internal"
import { Effect, Option } from "effect"
import type { Config } from "../../config.js"
import { backupMaximumHours, backupsIn } from "../../process/backups.js"
import { verifyDump } from "../dump.js"
import { type CommandFailed, textOf } from "../program.js"
import { type Finding, ok, problem, warning } from "./finding.js"

const about = "backup"

const makeOne = "Make one: petstore backup --into FOLDER. A timer does it every night: petstore-backup.timer"

const newestFinding = (folder: string, database: DatabaseUrl): Effect.Effect<Finding> =>
  Effect.gen(function* () {
    const found = yield* Effect.try(() => backupsIn(folder, database)).pipe(
      Effect.catchAll(({ cause }) => Effect.succeed(warning(about, `${folder} cannot be read: ${String(cause)}.`, makeOne))),
    )
    if ("state" in found) return found
    const newest = found.at(-1)
    if (newest === undefined) return warning(about, `${folder} has no backup of this store.`, makeOne)
    const { file, at } = newest
    const damage = yield* damageOf(database, file)
    if (damage !== undefined) return problem(about, damage, makeOne)
    const hours = Math.floor((Date.now() - at.getTime()) / 3_600_000)
    return hours < backupMaximumHours
      ? ok(about, `The newest is from ${at.toISOString()}, and has its checksum: ${file}.`)
      : warning(about, `The newest is ${hours} hours old: ${file}.`, makeOne)
  })

/** Why a backup is not what was backed up. */
export const damageOf = (database: DatabaseUrl, file: string): Effect.Effect<string | undefined> => {
  const read: Effect.Effect<unknown, BackupFailed | CommandFailed> =
    database.adapter === "postgres" ? verifyDump(file) : verifyBackup(database, file)
  return read.pipe(
    Effect.as(undefined),
    Effect.catchAll((failure) => Effect.succeed(textOf(failure))),
  )
}

/** No finding without BACKUP_FOLDER. */
export const backupFindings = ({ database, backupFolder }: Config): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.forEach(Option.toArray(backupFolder), (folder) => newestFinding(folder, database))
