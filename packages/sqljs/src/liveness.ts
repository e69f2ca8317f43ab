/**
 * Whether the owner of a lock still lives, asked of the kernel alone.
 *
 * An owner keeps a FIFO open for reading, and its lock is a hard link to that
 * FIFO. The kernel closes it when the process dies, the worker thread ends or
 * the connection closes; opening it for writing then fails with ENXIO. That
 * needs no process id, host name or /proc, so it holds across namespaces of
 * processes, mounts and users. It holds within one machine: see `file-system.ts`.
 */
import { randomBytes } from "node:crypto"
import { closeSync, constants, fstatSync, openSync, readdirSync, unlinkSync } from "node:fs"
import { basename, dirname, join } from "node:path"

export const failedWith = (thrown: unknown, code: string) => thrown instanceof Error && "code" in thrown && thrown.code === code

export const removeIfPresent = (path: string) => {
  try {
    unlinkSync(path)
  } catch (thrown) {
    if (!failedWith(thrown, "ENOENT")) throw thrown
  }
}

/** A name for the FIFO of one owner of the lock at `lock`, beside it. No name is used twice. */
export const nameFifo = (lock: string): string => `${lock}-${randomBytes(8).toString("hex")}`

/** Opens the FIFO at `path`, which lives from now on until the descriptor is closed. Throws ENOENT if another opener swept it meanwhile. */
export const openFifo = (path: string): number => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)

const warned = new Set<string>()
const warn = (path: string, why: string) => {
  if (warned.has(path)) return
  warned.add(path)
  process.emitWarning(
    `${path} keeps the database locked, and whether its owner lives cannot be told (${why}). If no process uses the database, remove that file.`,
    "SqljsLockWarning",
  )
}

/**
 * Whether somebody reads the FIFO at `path`. What cannot be decided counts as
 * alive, with one warning that says how to free it: a lock taken over wrongly
 * destroys the file.
 */
export const livenessOf = (path: string): "alive" | "dead" | "gone" => {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (thrown) {
    if (failedWith(thrown, "ENXIO")) return "dead"
    if (failedWith(thrown, "ENOENT")) return "gone"
    warn(path, thrown instanceof Error ? thrown.message : String(thrown))
    return "alive"
  }
  try {
    if (!fstatSync(descriptor).isFIFO()) warn(path, "it is not a FIFO")
    return "alive"
  } finally {
    closeSync(descriptor)
  }
}

/** The FIFOs beside the lock at `lock`: of owners that live, and what dead ones left. */
const fifosOf = (lock: string): string[] => {
  const directory = dirname(lock)
  const prefix = `${basename(lock)}-`
  return readdirSync(directory)
    .filter((name) => name.startsWith(prefix) && /^[0-9a-f]{16}$/.test(name.slice(prefix.length)))
    .map((name) => join(directory, name))
}

/** The living owners of the lock's database, by the paths of their FIFOs. */
export const livingFifos = (lock: string): string[] => fifosOf(lock).filter((path) => livenessOf(path) === "alive")

/** Removes the FIFOs of owners that died. One that is being made may look dead for a moment: its owner then makes another. */
export const sweepFifos = (lock: string): void => {
  for (const path of fifosOf(lock)) {
    if (livenessOf(path) === "dead") removeIfPresent(path)
  }
}
