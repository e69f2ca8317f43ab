/**
 * The lock between the owners of one database file: processes, and worker
 * threads or copies of this package inside a process.
 *
 * Node.js offers no kernel file lock, so the lock is a directory entry made
 * by link(2), which fails if the name exists. Its content says who holds it.
 * A holder that died is recognised by its process id and start time, so a
 * lock left by `kill -9` or a power cut is taken over by the next opener.
 *
 * It knows nothing of SQLite's shared and exclusive locks: one owner at a
 * time, for reading too. Connections of one owner are kept apart by SQLite.
 */
import { closeSync, linkSync, readdirSync, unlinkSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import {
  failedWith,
  initialNamespace,
  mayRun,
  type Owner,
  openSignOfLife,
  ourselves,
  ownerOf,
  warnAboutStranger,
} from "./lock-owner.js"

/** The entry may be gone already: an opener swept it, or the folder was removed under us. */
const removeIfPresent = (path: string) => {
  try {
    unlinkSync(path)
  } catch (thrown) {
    if (!failedWith(thrown, "ENOENT")) throw thrown
  }
}

/**
 * Takes the lock at `path` for the owner file `ours`, once. Answers `false`
 * if another living owner has it; throws what node:fs throws otherwise.
 *
 * Only the owner removes its own lock. A dead owner's lock is removed under
 * a guard, a lock of the same kind named after the dead owner, so that two
 * who find it dead cannot remove the lock one of them has just taken.
 */
const take = (path: string, ours: string): boolean => {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      linkSync(ours, path)
      return true
    } catch (thrown) {
      if (!failedWith(thrown, "EEXIST")) throw thrown
    }
    const owner = ownerOf(path)
    if (owner === undefined) continue
    if (owner !== "lost" && mayRun(owner)) {
      warnAboutStranger(path, owner)
      return false
    }
    const dead = owner === "lost" ? "lost" : owner.token
    const guard = `${path}-${dead}-guard`
    if (!take(guard, ours)) return false
    try {
      const now = ownerOf(path)
      if (now !== undefined && (now === "lost" ? "lost" : now.token) === dead) unlinkSync(path)
    } finally {
      unlinkSync(guard)
    }
  }
  return false
}

/** Owner files of processes that died are removed when somebody opens the database again. */
const sweep = (lockPath: string) => {
  const prefix = `${basename(lockPath)}-`
  const directory = dirname(lockPath)
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(prefix) || name.endsWith("-guard") || name.endsWith("-alive")) continue
    const path = join(directory, name)
    const owner = ownerOf(path)
    if (owner === undefined || owner === "lost" || mayRun(owner)) continue
    removeIfPresent(path)
    removeIfPresent(`${path}-alive`)
  }
}

let lockCount = 0

/** The lock of one database file. `release` must follow every `acquire` that answered `true`. */
export class FileLock {
  readonly #path: string
  #ownerFile: string | undefined
  #signOfLife: number | undefined
  #held = false
  #unneeded = false

  /** @param database absolute path of the database file, symbolic links resolved */
  constructor(database: string) {
    this.#path = `${database}-lock`
  }

  /**
   * Answers `false` if another owner holds the file. Throws what node:fs
   * throws where the folder cannot be written; on a file system that nobody
   * can write there is nothing to lock.
   */
  acquire(): boolean {
    if (this.#held || this.#unneeded) return true
    try {
      return this.#acquire()
    } catch (thrown) {
      this.#unneeded = failedWith(thrown, "EROFS")
      if (this.#unneeded) return true
      throw thrown
    }
  }

  #acquire(): boolean {
    if (this.#ownerFile === undefined) {
      const ownerFile = `${this.#path}-${ourselves().token}-${lockCount++}`
      sweep(this.#path)
      const fifo = `${ownerFile}-alive`
      if (ourselves().pidNamespace !== initialNamespace && ourselves().pidNamespace !== "")
        this.#signOfLife = openSignOfLife(fifo)
      const owner: Owner = { ...ourselves(), alive: this.#signOfLife === undefined ? "" : fifo }
      writeFileSync(ownerFile, JSON.stringify(owner))
      this.#ownerFile = ownerFile
    }
    this.#held = take(this.#path, this.#ownerFile)
    return this.#held
  }

  /** Whether another living owner holds the file now. */
  isHeldByAnother(): boolean {
    if (this.#held) return false
    const owner = ownerOf(this.#path)
    return owner !== undefined && owner !== "lost" && mayRun(owner)
  }

  release(): void {
    if (!this.#held) return
    this.#held = false
    removeIfPresent(this.#path)
  }

  /** Releases and forgets: called when the last descriptor of the file closes. */
  dispose(): void {
    this.release()
    if (this.#ownerFile === undefined) return
    const ownerFile = this.#ownerFile
    this.#ownerFile = undefined
    removeIfPresent(ownerFile)
    if (this.#signOfLife === undefined) return
    closeSync(this.#signOfLife)
    this.#signOfLife = undefined
    removeIfPresent(`${ownerFile}-alive`)
  }
}
