/**
 * Decides with kernel resources alone whether a lock's owner is still alive. An owner keeps a FIFO open for reading, and its
 * lock is a hard link to that FIFO. The FIFO is closed when the process dies, the worker thread exits or the connection
 * closes; opening it for writing then fails with ENXIO. This method needs no process id, host name or /proc, so it works
 * across process, mount and user namespaces, but only within one machine: see `file-system.ts`.
 */
import { randomBytes } from "node:crypto"
import { chmodSync, closeSync, constants, fstatSync, linkSync, openSync, readdirSync, statSync, unlinkSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { Holdings } from "./holdings.js"
import { codeOf, messageOf } from "./system-errors.js"

export const removeIfPresent = (path: string) => {
  try {
    unlinkSync(path)
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown
  }
}

export const fifoOf = (lock: string, owner: string): string => `${lock}-${owner}`

/** A FIFO that this thread reads. It stays open for as long as it has a name. */
interface OpenFifo {
  readonly descriptor: number
  readonly names: Set<string>
}

/** The open FIFOs by device. One FIFO serves all files in a file system, so that only the first file needs to start a program. */
const openFifos = new Map<number, OpenFifo>()

const isLinked = (existing: string | undefined, name: string): boolean => {
  if (existing === undefined) return false
  try {
    linkSync(existing, name)
    return true
  } catch {
    // Linking fails, for example, if the same device is mounted twice. A new FIFO works.
    return false
  }
}

/** A FIFO that any user may test and only its owner may read. Throws ENOENT if another owner removes it first. */
const makeOpenFifo = (name: string, make: (path: string) => void): OpenFifo => {
  make(name)
  try {
    chmodSync(name, 0o622)
    return { descriptor: openSync(name, constants.O_RDONLY | constants.O_NONBLOCK), names: new Set() }
  } catch (thrown) {
    removeIfPresent(name)
    throw thrown
  }
}

/**
 * Creates a FIFO of this thread next to the lock at `lock`, which `holdings` releases. Returns the owner's unique name.
 *
 * @param make creates a FIFO; not called if this thread already has one in the file system
 */
export const takeFifo = (lock: string, holdings: Holdings, make: (path: string) => void): string => {
  const device = statSync(dirname(lock)).dev
  for (let attempt = 0; ; attempt++) {
    const owner = randomBytes(8).toString("hex")
    const name = fifoOf(lock, owner)
    const known = openFifos.get(device)
    let fifo: OpenFifo
    try {
      fifo = known !== undefined && isLinked([...known.names][0], name) ? known : makeOpenFifo(name, make)
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
    `The lock file ${path} keeps the database locked, and its owner may still be alive: ${why}. If no process uses the database, remove the lock file.`,
    "SqljsLockWarning",
  )
}

/** Whether a process has the FIFO open for reading. An unknown state counts as alive: two owners would destroy the file. */
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
    if (!fstatSync(descriptor).isFIFO()) warn(path, "the file is not a FIFO")
    return "alive"
  } finally {
    closeSync(descriptor)
  }
}

/** Removes dead owners' FIFOs, if the folder can be listed. A new FIFO may briefly appear dead: its owner creates another one. */
export const sweepFifos = (lock: string, kept: ReadonlyArray<string>): void => {
  const prefix = `${basename(lock)}-`
  try {
    for (const name of readdirSync(dirname(lock))) {
      const isFifo = name.startsWith(prefix) && /^[0-9a-f]{16}$/.test(name.slice(prefix.length))
      const path = join(dirname(lock), name)
      if (isFifo && !kept.includes(path) && livenessOf(path) === "dead") removeIfPresent(path)
    }
  } catch {
    // A leftover FIFO locks nothing.
  }
}
