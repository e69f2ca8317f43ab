/** Checks a SQLite store's files: their owner, their permissions, and the free disk space. */
import { accessSync, constants, existsSync, type Stats, statSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseUrl } from "@petstore/storage"
import { filesOfStore } from "@petstore/storage/internal"
import { bytesOfStore, type StoreBytes } from "../../process/store-bytes.js"
import { quoted } from "../pasted.js"
import { type Finding, ok, problem, warning } from "./finding.js"

/** The doctor warns below this many bytes of free space. Below `fullBytes`, 64 KiB, `/readyz` responds with 503. */
export const scarceBytes = 100_000_000

const fullBytes = 65_536

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

/** The system's error code if this process cannot access the path with this mode. */
const denial = (path: string, mode: number): string | undefined => {
  try {
    accessSync(path, mode)
    return undefined
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown)
  }
}

/** The finding for a place that this process cannot access with this mode. */
const unwritableFinding = (place: string, mode: number, owner: number, all: ReadonlyArray<string>): Finding | undefined => {
  const code = denial(place, mode)
  if (code === undefined) return undefined
  const user = process.getuid?.()
  if (code === "EROFS") {
    const remedy = `Mount it for writing, or find out why it is not: findmnt -T ${quoted(place)}; dmesg`
    return problem("owner", `${place} is on a file system that is mounted read-only.`, remedy)
  }
  if (user === owner)
    return problem("owner", `User ${user}, its owner, cannot write to ${place}.`, `chmod u+rwX ${quoted(place)}`)
  const says = `User ${user} cannot write to ${place}, because the store belongs to user ${owner}.`
  const remedy = `Run the service and its commands as that user, or: chown ${user} ${all.map(quoted).join(" ")}`
  return problem("owner", says, remedy)
}

const ownerFindings = (file: string, stat: Stats, parts: ReadonlyArray<readonly [string, Stats]>): ReadonlyArray<Finding> => {
  const folder = dirname(file)
  const all = [folder, ...parts.map(([part]) => part)]
  const unwritable =
    unwritableFinding(folder, constants.W_OK | constants.X_OK, stat.uid, all) ??
    unwritableFinding(file, constants.R_OK | constants.W_OK, stat.uid, all)
  const foreign = parts
    .filter(([, { uid }]) => uid !== stat.uid)
    .map(([part, { uid }]) => {
      const says = `${part} belongs to user ${uid}, but the store belongs to user ${stat.uid}.`
      return problem("owner", says, `chown ${stat.uid} ${quoted(part)}`)
    })
  const findings = unwritable === undefined ? foreign : [unwritable, ...foreign]
  return findings.length === 0 ? [ok("owner", `The files belong to user ${stat.uid}.`)] : findings
}

const modeFindings = (parts: ReadonlyArray<readonly [string, Stats]>): ReadonlyArray<Finding> => {
  const open = parts.filter(([, { mode }]) => (mode & 0o077) !== 0).map(([part]) => part)
  if (open.length === 0) return [ok("permissions", "Only the owner can read the files.")]
  const says = `Other users on this machine can read ${open.join(", ")}, including all animals and the hashes of the keys.`
  return [warning("permissions", says, `chmod 600 ${open.map(quoted).join(" ")}`)]
}

const diskFinding = (folder: string, { file, log, free }: StoreBytes): Finding => {
  const says = `${megabytes(free)} free in ${folder}; the store's file has ${megabytes(file)}, and its log ${megabytes(log)}.`
  const remedy = `Make room: df -h ${quoted(folder)}`
  if (free < fullBytes) return problem("disk", `The disk is full: ${says}`, remedy)
  if (free < scarceBytes) return warning("disk", says, remedy)
  return free < file + log ? warning("disk", `There is no room for a copy of the store: ${says}`, remedy) : ok("disk", says)
}

/** Returns no findings unless the store is a regular file. Opening the store reports whether the file is missing. */
export const fileFindings = (database: DatabaseUrl): ReadonlyArray<Finding> => {
  const names = filesOfStore(database)
  const [file] = names
  if (file === undefined || !existsSync(file)) return []
  const parts = names.filter((name) => existsSync(name)).map((name) => [name, statSync(name)] as const)
  const stat = statSync(file)
  if (!stat.isFile()) return []
  const regular = parts.filter(([, part]) => part.isFile())
  return [
    ...ownerFindings(file, stat, parts),
    ...modeFindings(regular),
    ...bytesOfStore(database).map((bytes) => diskFinding(dirname(file), bytes)),
  ]
}
