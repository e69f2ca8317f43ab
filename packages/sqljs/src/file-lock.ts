/**
 * The lock between the owners of one database file. An owner is a process, or a worker thread or copy of this package inside a
 * process. An owner joins the table `FILE-lock` next to the file when it first uses the file, and leaves the table when it
 * closes the file. In between, a transaction is a mark in the table: see `owner-table.ts`. Owners find the table by the file's
 * name, so an owner that uses another name would not see the table. An owner therefore also holds a shared flock(2) on the
 * file itself.
 *
 * An owner joins a table only if the table has a living owner of the same file, or if the new owner could lock the file
 * exclusively. All owners of a file are therefore in one table. If no table is possible, or if the file already has several
 * names, an owner locks the file exclusively for each transaction. Only one owner at a time holds the lock, even for reading:
 * SQLite itself separates an owner's connections.
 */
import * as fs from "node:fs"
import { dirname } from "node:path"
import { isMountedAlone, sharedFileSystem } from "./file-system.js"
import { Holdings } from "./holdings.js"
import { flock, makeFifo } from "./host-calls.js"
import { isKeptOutByNative, kernelName } from "./kernel-locks.js"
import { fifoOf, livenessOf, removeIfPresent, sweepFifos, takeFifo, warn } from "./liveness.js"
import { type OwnerRecord, OwnerTable } from "./owner-table.js"
import { codeOf, messageOf } from "./system-errors.js"

/** `busy`: another owner holds the lock, or resources are temporarily exhausted. `refused`: the request can never succeed. */
export type Answer = { readonly outcome: "taken" } | { readonly outcome: "busy" | "refused"; readonly reason: string | undefined }

const taken: Answer = { outcome: "taken" }
const busy = (reason?: string): Answer => ({ outcome: "busy", reason })
const refused = (reason: string): Answer => ({ outcome: "refused", reason })
const lockedElsewhere = busy("it is open under another name, or locked exclusively")
const cannotLock = (failure: string) => refused(`the file itself cannot be locked (${failure})`)

const lockOf = (database: string): string => `${database}-lock`

const isSameFile = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((path) => fs.lstatSync(path, { bigint: true, throwIfNoEntry: false }))
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev
}

/**
 * Makes `path` a link to our FIFO. Returns `false` if another living owner has `path`; throws any other node:fs error. Only
 * the owner removes its own link. A dead owner's link is removed while another link of the same kind is held as a guard, so
 * that no process removes a link that another process has just created.
 */
const take = (path: string, fifo: string): boolean => {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      fs.linkSync(fifo, path)
      return true
    } catch (thrown) {
      if (codeOf(thrown) !== "EEXIST") throw thrown
    }
    // The link is already ours if V8 terminated the call that created it.
    if (isSameFile(path, fifo)) return true
    const liveness = livenessOf(path)
    if (liveness === "alive") return false
    if (liveness === "gone") continue
    const guard = `${path}-guard`
    if (!take(guard, fifo)) return false
    try {
      // A dead owner stays dead, and under the guard no other owner removes its link.
      if (livenessOf(path) === "dead") fs.unlinkSync(path)
    } finally {
      fs.unlinkSync(guard)
    }
  }
  return false
}

const sleeping = new Int32Array(new SharedArrayBuffer(4))
const longestWaitMillis = 1000
/** Short, because an owner that is not joining keeps the lock. */
const longestJoiningMillis = 100

/** Runs `use` while no other owner joins or leaves the table. Returns `undefined` if another owner held the guard for a second. */
const guarded = <A>(lock: string, fifo: string, use: () => A): A | undefined => {
  const guard = `${lock}-guard`
  const end = performance.now() + longestWaitMillis
  while (!take(guard, fifo)) {
    if (performance.now() > end) return undefined
    Atomics.wait(sleeping, 0, 0, 1)
  }
  try {
    return use()
  } finally {
    removeIfPresent(guard)
  }
}

/** Temporary errors. All other errors mean that a table is impossible here. */
const passing = new Set(["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EINTR", "EIO"])

interface Seat {
  readonly table: OwnerTable
  readonly index: number
}

const ourOwners = new Set<string>()

/** A database file's lock. Call `release` after every successful `acquire`. */
export class FileLock {
  readonly #database: string
  readonly #path: string
  readonly #sharedWith: string | undefined
  readonly #isMountedAlone: boolean
  readonly #holdings = new Holdings()
  #seat: Seat | undefined
  /** How the lock is held: through the mark in the table, or through the descriptor with the exclusive flock. */
  #held: "mark" | number | undefined

  /** @param database absolute path of the database file, with symbolic links resolved */
  constructor(database: string) {
    this.#database = database
    this.#path = lockOf(database)
    this.#sharedWith = sharedFileSystem(database)
    this.#isMountedAlone = isMountedAlone(database)
  }

  /**
   * Takes the lock if no other owner has it. A failed step is undone, and retried the next time.
   *
   * @param descriptor an open descriptor for the file
   * @param writes whether the file will be changed
   */
  acquire(descriptor: number, writes: boolean): Answer {
    if (this.#sharedWith !== undefined) return writes ? refused(this.#whyShared(this.#sharedWith)) : taken
    if (this.#held !== undefined) return taken
    try {
      if (this.#seat === undefined) {
        const why = this.#whyAlone(descriptor)
        const result = why === undefined ? this.#join(descriptor) : this.#lockFile(descriptor, why)
        if (this.#seat === undefined) return result
      }
      return this.#begin(this.#seat)
    } catch (thrown) {
      return busy(messageOf(thrown))
    }
  }

  #whyShared(fileSystem: string): string {
    return (
      `its file system (${fileSystem}) may be shared with other machines, and a local lock does not exclude them. ` +
      `If nothing else uses the file, open it as file:${this.#database}?nolock=1`
    )
  }

  /** Why a table is impossible or would not exclude all other owners; `undefined` if a table works. */
  #whyAlone(descriptor: number): string | undefined {
    if (fs.fstatSync(descriptor).nlink > 1) return "the file has more than one link"
    if (this.#isMountedAlone) return "the file is mounted apart from its folder"
    try {
      fs.accessSync(dirname(this.#path), fs.constants.W_OK | fs.constants.X_OK)
      return undefined
    } catch (thrown) {
      return `no lock can be kept next to it (${messageOf(thrown)})`
    }
  }

  /** Sets our mark, unless another living owner is in a transaction. */
  #begin({ table, index }: Seat): Answer {
    table.mark(index)
    try {
      if (!table.isMarkedByAnother(index) || !this.#isHeld(table, index)) {
        this.#held = "mark"
        return taken
      }
    } catch (thrown) {
      table.unmark(index)
      throw thrown
    }
    table.unmark(index)
    return busy()
  }

  /** Whether another owner is in a transaction. An owner without a FIFO counts as alive: the folder may have been moved. */
  #isHeld(table: OwnerTable, index: number): boolean {
    return table.records().some((record) => record.isMarked && record.index !== index && this.#livenessOf(record) !== "dead")
  }

  #livenessOf({ owner }: OwnerRecord) {
    return livenessOf(fifoOf(this.#path, owner))
  }

  /** Joins the table. An owner that is joining too may have locked the file before it gets the guard, so this waits for it. */
  #join(descriptor: number): Answer {
    const end = performance.now() + longestJoiningMillis
    for (;;) {
      const result = this.#tryToJoin(descriptor)
      if (result !== lockedElsewhere || performance.now() > end) return result
      Atomics.wait(sleeping, 0, 0, 1)
    }
  }

  /** After a failure, everything is released. */
  #tryToJoin(descriptor: number): Answer {
    let result: Answer
    try {
      const own = this.#reopen(descriptor)
      if (own === undefined) return refused("the file has been replaced by another one")
      const inside = new Holdings()
      inside.add(() => fs.closeSync(own))
      this.#holdings.add(() => inside.giveBack())
      let isProven = false
      const owner = takeFifo(this.#path, this.#holdings, (path) => {
        isProven = makeFifo(path, own)
      })
      ourOwners.add(owner)
      this.#holdings.add(() => ourOwners.delete(owner))
      const fifo = fifoOf(this.#path, owner)
      let mayRemoveTable = true
      // These resources are released under the guard, if possible.
      this.#holdings.add(() => {
        try {
          mayRemoveTable = false
          guarded(this.#path, fifo, () => {
            mayRemoveTable = true
            inside.giveBack()
          })
        } finally {
          inside.giveBack()
        }
      })
      const join = () => this.#joinGuarded(own, isProven, owner, inside, () => mayRemoveTable)
      result = guarded(this.#path, fifo, join) ?? busy("other processes keep opening and closing it")
    } catch (thrown) {
      this.#holdings.giveBack()
      if (passing.has(codeOf(thrown) ?? "")) throw thrown
      return this.#lockFile(descriptor, `no lock can be kept next to it (${messageOf(thrown)})`)
    }
    if (result.outcome !== "taken") this.#holdings.giveBack()
    return result
  }

  #joinGuarded(own: number, isProven: boolean, owner: string, inside: Holdings, mayRemoveTable: () => boolean): Answer {
    const there = fs.lstatSync(this.#path, { throwIfNoEntry: false })
    if (there?.isFIFO() === true) {
      // This is a lock from an earlier version of this package.
      if (livenessOf(this.#path) !== "dead") return busy()
      fs.unlinkSync(this.#path)
    }
    const table = OwnerTable.open(this.#path, own)
    if (table === undefined) {
      warn(this.#path, "the file does not contain a table of owners")
      return busy()
    }
    inside.add(() => {
      try {
        if (!mayRemoveTable()) return
        this.#removeDead(table, ["dead"])
        if (table.records().length === 0) table.remove(this.#path)
      } finally {
        table.close()
      }
    })
    this.#removeDead(table, ["dead"])
    const { ino } = fs.fstatSync(own, { bigint: true })
    const result = this.#share(own, isProven, table, ino)
    if (result.outcome !== "taken") return result
    // Only an owner that holds its lock does this: a FIFO that its process has not opened yet also looks dead (`host-calls.ts`).
    // Keeps the FIFOs that records name: if an owner dies now, its mark remains, and only its FIFO shows that the owner is dead.
    sweepFifos(
      this.#path,
      table.records().map(({ owner }) => fifoOf(this.#path, owner)),
    )
    const index = table.add(ino, owner)
    inside.add(() => {
      this.#seat = undefined
      table.clear(index)
    })
    this.#seat = { table, index }
    return taken
  }

  /**
   * Takes the shared flock. If the table has no other living owner, first proves with the exclusive flock that none exists. A
   * proof from before the guard is as good: since then, no other owner could join without a living owner in this table.
   */
  #share(own: number, isProven: boolean, table: OwnerTable, inode: bigint): Answer {
    const isWithOthers = () => table.records().some((record) => record.inode === inode && this.#livenessOf(record) === "alive")
    if (!isProven && isWithOthers()) {
      const shared = flock(own, "shared")
      if (shared === "missing") return taken
      if (typeof shared !== "string") return cannotLock(shared.failure)
      // We hold the flock, and the table still has a living owner. All other owners are therefore in this table.
      if (shared === "locked" && isWithOthers()) return taken
    }
    const proof = isProven ? "locked" : flock(own, "proof")
    if (typeof proof !== "string") return cannotLock(proof.failure)
    if (proof === "busy") return lockedElsewhere
    // No owner of the file is alive, so a record without a FIFO comes from a copy of the folder.
    this.#removeDead(table, ["dead", "gone"])
    return taken
  }

  /** Removes the records of dead owners. Call this under the guard. */
  #removeDead(table: OwnerTable, kinds: readonly string[]): void {
    for (const record of table.records()) {
      if (!kinds.includes(this.#livenessOf(record))) continue
      table.clear(record.index)
      removeIfPresent(fifoOf(this.#path, record.owner))
    }
  }

  /** Takes the exclusive flock on the file itself, which covers all of its names. @param why the reason why there is no table */
  #lockFile(descriptor: number, why: string): Answer {
    const own = this.#reopen(descriptor)
    if (own === undefined) return refused("the file has been replaced by another one")
    const lock = flock(own, "alone")
    if (lock === "locked") {
      this.#held = own
      return taken
    }
    fs.closeSync(own)
    if (lock === "busy") return busy(`${why}, so it must not be open anywhere else`)
    const failure = lock === "missing" ? "flock is not installed" : lock.failure
    return refused(`${why}, and the file itself cannot be locked (${failure})`)
  }

  /** Opens a separate descriptor, because SQLite may close its own. `undefined` if the path now names another file. */
  #reopen(descriptor: number): number | undefined {
    let own: number
    try {
      own = fs.openSync(this.#database, "r")
    } catch (thrown) {
      if (passing.has(codeOf(thrown) ?? "")) throw thrown
      return undefined
    }
    const [ours, theirs] = [fs.fstatSync(own, { bigint: true }), fs.fstatSync(descriptor, { bigint: true })]
    if (ours.ino === theirs.ino && ours.dev === theirs.dev) return own
    fs.closeSync(own)
    return undefined
  }

  /** Whether another living owner is in a transaction now. */
  isHeldByAnother(): boolean {
    return this.#held === undefined && this.#seat !== undefined && this.#isHeld(this.#seat.table, this.#seat.index)
  }

  /** Ends the transaction. If this fails, the lock is still held, and the next transaction releases it. */
  release(): void {
    if (this.#held === "mark") this.#seat?.table.unmark(this.#seat.index)
    else if (this.#held !== undefined) fs.closeSync(this.#held)
    this.#held = undefined
  }

  /** Releases the lock and leaves the table. Called when the file's last descriptor closes. */
  dispose(): void {
    try {
      this.release()
    } finally {
      this.#holdings.giveBack()
    }
  }
}

const wholeFile = { first: 0, last: Number.POSITIVE_INFINITY, exclusive: true }

/**
 * Whether another thread or process has the database file open and may still write to it: a connection of this package, from its
 * first statement until it is closed, or native SQLite with locks in /proc/locks. The result is only valid for this moment. To
 * exclude other users in the meantime, call this function inside `BEGIN EXCLUSIVE`.
 *
 * @example if (isInUse("pets.db")) throw new Error("Stop the service first.")
 */
export const isInUse = (path: string): boolean => {
  const file = fs.statSync(path, { bigint: true, throwIfNoEntry: false })
  if (file === undefined) return false
  const database = fs.realpathSync(path)
  const lock = lockOf(database)
  const owners = OwnerTable.read(lock).map(({ owner }) => owner)
  if (owners.some((owner) => !ourOwners.has(owner) && livenessOf(fifoOf(lock, owner)) === "alive")) return true
  if (isKeptOutByNative(kernelName(file.dev, file.ino), wholeFile, `${database}-shm`)) return true
  // An owner outside the table has locked the file exclusively, or uses another name. If we have a shared flock of our own, it
  // excludes both cases.
  if (owners.some((owner) => ourOwners.has(owner))) return false
  const descriptor = fs.openSync(database, "r")
  try {
    const result = flock(descriptor, "alone")
    return result !== "locked" && result !== "missing"
  } finally {
    fs.closeSync(descriptor)
  }
}
