/** A folder of backups. Each is named after its store and its time, and only once it has been verified. */
import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { type DatabaseUrl, isEphemeral, nameOfStore } from "@petstore/storage"

/** How old the newest backup may be: one a night, and time to make it. `alerts.yaml` has the same number. */
export const backupMaximumHours = 26

const time = /^\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z$/

/** The parts of a name around the time; `undefined` for a store that cannot be backed up. */
const around = (database: DatabaseUrl): { readonly start: string; readonly end: string } | undefined => {
  if (database.adapter === "postgres") return { start: `${basename(nameOfStore(database))}-`, end: ".dump" }
  return "path" in database && !isEphemeral(database) ? { start: `${basename(database.path, ".db")}-`, end: ".db" } : undefined
}

/** A name for a backup that is made now, such as `petstore-2026-11-28T030000.123Z.db`. */
export const nameBackup = (database: DatabaseUrl): string | undefined => {
  const parts = around(database)
  return parts && `${parts.start}${new Date().toISOString().replaceAll(":", "")}${parts.end}`
}

interface NamedBackup {
  readonly file: string
  readonly at: Date
}

/** The backups of a store in a folder, oldest first. Throws if the folder cannot be read. */
export const backupsIn = (folder: string, database: DatabaseUrl): ReadonlyArray<NamedBackup> => {
  const parts = around(database)
  if (parts === undefined) return []
  const { start, end } = parts
  const timeIn = (name: string) => (name.startsWith(start) && name.endsWith(end) ? name.slice(start.length, -end.length) : "")
  return readdirSync(folder)
    .filter((name) => time.test(timeIn(name)))
    .sort()
    .map((name) => ({
      file: join(folder, name),
      at: new Date(timeIn(name).replace(/T(\d\d)(\d\d)/, "T$1:$2:")),
    }))
}

/** When the newest backup in a folder was made, in s since 1970; 0 without one, or if the folder cannot be read. */
export const newestBackupSeconds = (folder: string, database: DatabaseUrl): number => {
  try {
    return (backupsIn(folder, database).at(-1)?.at.getTime() ?? 0) / 1_000
  } catch {
    return 0
  }
}
