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
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  closeSync,
  constants,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { hostname } from "node:os"
import { basename, dirname, join } from "node:path"

/** Who holds a lock, as written into it. */
interface Owner {
  readonly token: string
  readonly pid: number
  /** Start of the process in clock ticks since boot (field 22 of /proc/PID/stat); "" where there is no /proc. */
  readonly started: string
  readonly boot: string
  readonly pidNamespace: string
  readonly host: string
  /** A FIFO the owner keeps open for reading, where its process id may say nothing to others; "" if there is none. */
  readonly alive: string
}

const orEmpty = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ""
  }
}

const startOf = (pid: number): string =>
  orEmpty(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The command name before the last ")" may hold spaces; the start time is the 20th field after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
  })

const failedWith = (thrown: unknown, code: string) => thrown instanceof Error && "code" in thrown && thrown.code === code

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return failedWith(thrown, "EPERM")
  }
}

let known: Omit<Owner, "alive"> | undefined
const ourselves = (): Omit<Owner, "alive"> => {
  known ??= {
    token: randomBytes(8).toString("hex"),
    pid: process.pid,
    started: startOf(process.pid),
    boot: orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()),
    pidNamespace: orEmpty(() => readlinkSync("/proc/self/ns/pid")),
    host: hostname(),
  }
  return known
}

/** The namespace of process ids in which Linux starts (PROC_PID_INIT_INO). Inside a container it is another. */
const initialNamespace = "pid:[4026531836]"

/**
 * Opens a FIFO that tells others that this process lives: the system closes
 * it with the process, and whoever opens it for writing sees whether anybody
 * reads. Node.js cannot make one, so `mkfifo` does. Without it the answer is
 * `undefined`, and a lock left behind must be removed by hand.
 */
const openSignOfLife = (path: string): number | undefined => {
  const made = spawnSync("mkfifo", [path], { stdio: "ignore" })
  return made.status === 0 ? openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) : undefined
}

const isRead = (fifo: string): boolean => {
  try {
    closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch (thrown) {
    return !failedWith(thrown, "ENXIO")
  }
}

const isOwner = (value: unknown): value is Owner =>
  typeof value === "object" &&
  value !== null &&
  "token" in value &&
  typeof value.token === "string" &&
  "pid" in value &&
  typeof value.pid === "number"

/**
 * Whether the owner may still be running. What cannot be known counts as
 * running: a lock taken over wrongly destroys the file.
 */
const mayRun = (owner: Owner): boolean => {
  const us = ourselves()
  if (owner.boot !== us.boot) return owner.host !== us.host
  if (owner.pidNamespace !== us.pidNamespace) return typeof owner.alive !== "string" || owner.alive === "" || isRead(owner.alive)
  return owner.started === "" ? isRunning(owner.pid) : startOf(owner.pid) === owner.started
}

/**
 * The owner named in a lock. `undefined`: the lock is gone. `"lost"`: its
 * content is not an owner, which only a power cut leaves, because an owner
 * is written in full before it is linked.
 */
const ownerOf = (path: string): Owner | "lost" | undefined => {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch {
    return undefined
  }
  try {
    const value: unknown = JSON.parse(text)
    return isOwner(value) ? value : "lost"
  } catch {
    return "lost"
  }
}

/** The entry may be gone already: an opener swept it, or the folder was removed under us. */
const removeIfPresent = (path: string) => {
  try {
    unlinkSync(path)
  } catch (thrown) {
    if (!failedWith(thrown, "ENOENT")) throw thrown
  }
}

const warned = new Set<string>()
const warnAboutStranger = (path: string, owner: Owner) => {
  const isVisible = owner.pidNamespace === ourselves().pidNamespace || (typeof owner.alive === "string" && owner.alive !== "")
  if (owner.boot === ourselves().boot && isVisible) return
  if (warned.has(path)) return
  warned.add(path)
  process.emitWarning(
    `${path} is held by process ${owner.pid} of host ${owner.host}, whose life cannot be seen from here. If that process is gone, remove the file.`,
    "SqljsLockWarning",
  )
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
