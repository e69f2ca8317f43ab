/**
 * Whether the owner of a lock still lives, by the kernel alone.
 *
 * An owner keeps a FIFO open for reading, and its lock is a hard link to that FIFO. The kernel closes it when the process dies,
 * the worker thread ends or the connection closes; opening it for writing then fails with ENXIO. That needs no process id, host
 * name or /proc, so it works across namespaces of processes, mounts and users, within one machine: see `file-system.ts`.
 */
import { randomBytes } from "node:crypto"
import { chmodSync, closeSync, constants, fstatSync, linkSync, openSync, readdirSync, statSync, unlinkSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { Holdings } from "./holdings.js"
import { makeFifo } from "./host-calls.js"
import { codeOf, messageOf } from "./system-errors.js"

export const removeIfPresent = (path: string) => {
  try {
    unlinkSync(path)
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown
  }
}

/** The FIFO of the owner of that name, beside the lock at `lock`. */
export const fifoOf = (lock: string, owner: string): string => `${lock}-${owner}`

/** A FIFO that this thread reads. It is open as long as it has a name. */
interface OpenFifo {
  readonly descriptor: number
  readonly names: Set<string>
}

/** One FIFO serves all files of a file system, so that only the first one starts a program. By device. */
const openFifos = new Map<number, OpenFifo>()

const isLinked = (existing: string | undefined, name: string): boolean => {
  if (existing === undefined) return false
  try {
    linkSync(existing, name)
    return true
  } catch {
    // Such as when the same device is mounted twice. A new FIFO works.
    return false
  }
}

/**
 * Creates a FIFO that every user may test and only its owner may read. Throws ENOENT if another opener removed it before it was
 * open.
 */
const makeOpenFifo = (name: string): OpenFifo => {
  const failure = makeFifo(name)
  if (failure !== undefined) throw new Error(failure.failure)
  try {
    chmodSync(name, 0o622)
    return { descriptor: openSync(name, constants.O_RDONLY | constants.O_NONBLOCK), names: new Set() }
  } catch (thrown) {
    removeIfPresent(name)
    throw thrown
  }
}

/**
 * Creates a FIFO for this thread beside the lock at `lock`, which lives until it is released; returns the owner's name. No name
 * is used twice.
 */
export const takeFifo = (lock: string, holdings: Holdings): string => {
  const device = statSync(dirname(lock)).dev
  for (let attempt = 0; ; attempt++) {
    const owner = randomBytes(8).toString("hex")
    const name = fifoOf(lock, owner)
    const known = openFifos.get(device)
    let fifo: OpenFifo
    try {
      fifo = known !== undefined && isLinked([...known.names][0], name) ? known : makeOpenFifo(name)
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT" && attempt < 3) continue
      throw thrown
    }
    fifo.names.add(name)
    openFifos.set(device, fifo)
    holdings.add(() => {
      fifo.names.delete(name)
      try {
        removeIfPresent(name)
      } finally {
        if (fifo.names.size === 0) {
          if (openFifos.get(device) === fifo) openFifos.delete(device)
          closeSync(fifo.descriptor)
        }
      }
    })
    return owner
  }
}

const warned = new Set<string>()
export const warn = (path: string, why: string) => {
  if (warned.has(path)) return
  warned.add(path)
  process.emitWarning(
    `${path} keeps the database locked, and it is unknown whether its owner lives (${why}). If no process uses the database, remove that file.`,
    "SqljsLockWarning",
  )
}

/**
 * Whether a process reads the FIFO at `path`. An unknown state counts as alive, with one warning that says how to free the lock:
 * a lock that is wrongly taken over destroys the file.
 */
export const livenessOf = (path: string): "alive" | "dead" | "gone" => {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (thrown) {
    if (codeOf(thrown) === "ENXIO") return "dead"
    if (codeOf(thrown) === "ENOENT") return "gone"
    warn(path, messageOf(thrown))
    return "alive"
  }
  try {
    if (!fstatSync(descriptor).isFIFO()) warn(path, "it is not a FIFO")
    return "alive"
  } finally {
    closeSync(descriptor)
  }
}

/** The FIFOs beside the lock at `lock`, of living and dead owners. */
const fifosOf = (lock: string): string[] => {
  const directory = dirname(lock)
  const prefix = `${basename(lock)}-`
  return readdirSync(directory)
    .filter((name) => name.startsWith(prefix) && /^[0-9a-f]{16}$/.test(name.slice(prefix.length)))
    .map((name) => join(directory, name))
}

/**
 * Removes the FIFOs of dead owners, if the folder can be listed. A new FIFO may briefly look dead: its owner then creates
 * another.
 */
export const sweepFifos = (lock: string, kept: ReadonlyArray<string>): void => {
  try {
    for (const path of fifosOf(lock)) {
      if (!kept.includes(path) && livenessOf(path) === "dead") removeIfPresent(path)
    }
  } catch {
    // They lock nothing.
  }
}
