/**
 * The lock between the owners of one database file: processes, and worker
 * threads or copies of this package inside a process.
 *
 * The lock is a directory entry, `FILE-lock`, made by link(2), which fails if
 * the name exists. It is a link to a FIFO of its owner, so the kernel knows
 * whether the owner lives, and one that died is replaced by the next opener.
 * While an owner has the file open it also holds a shared flock(2) on the
 * file itself, where the system has the program for it. Owners that the entry
 * cannot keep apart, because the file has several names or the folder cannot
 * be written, take that flock exclusively instead.
 *
 * It knows nothing of SQLite's shared and exclusive locks: one owner at a
 * time, for reading too. Connections of one owner are kept apart by SQLite.
 */
import { closeSync, fstatSync, linkSync, openSync, realpathSync, statSync, unlinkSync } from "node:fs"
import { isMountedAlone, sharedFileSystem } from "./file-system.js"
import { lockExclusively, makeFifoAndShare } from "./host-programs.js"
import { isKeptOutByNative, kernelName } from "./kernel-locks.js"
import { failedWith, livenessOf, livingFifos, nameFifo, openFifo, removeIfPresent, sweepFifos } from "./liveness.js"

/** What became of asking for a lock. `busy`: another owner has it. `refused`: it can never be had like this. Both may say why. */
export type Answer = { readonly outcome: "taken" } | { readonly outcome: "busy" | "refused"; readonly reason: string | undefined }

const taken: Answer = { outcome: "taken" }
const busy: Answer = { outcome: "busy", reason: undefined }
const refused = (reason: string): Answer => ({ outcome: "refused", reason })

const lockOf = (database: string): string => `${database}-lock`

/** An owner that has the file open: its FIFO, and the descriptor that holds the shared flock, if it could be had. */
interface Ownership {
  readonly fifo: string
  readonly fifoDescriptor: number
  readonly shared: number | undefined
}

/**
 * Makes `path` a link to our FIFO, once. Answers `false` if another living
 * owner has it; throws what node:fs throws otherwise.
 *
 * Only the owner removes its own lock. A dead owner's lock is removed under
 * a guard, a lock of the same kind, so that two who find it dead cannot
 * remove the lock one of them has just taken.
 */
const take = (path: string, fifo: string): boolean => {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      linkSync(fifo, path)
      return true
    } catch (thrown) {
      if (!failedWith(thrown, "EEXIST")) throw thrown
    }
    const liveness = livenessOf(path)
    if (liveness === "alive") return false
    if (liveness === "gone") continue
    const guard = `${path}-guard`
    if (!take(guard, fifo)) return false
    try {
      // Whoever is dead stays dead, and under the guard nobody else removes it.
      if (livenessOf(path) === "dead") unlinkSync(path)
    } finally {
      unlinkSync(guard)
    }
  }
  return false
}

const wholeFile = { first: 0, last: Number.POSITIVE_INFINITY, exclusive: true }

/** The FIFOs of this thread. */
const ourFifos = new Set<string>()

/** The lock of one database file. `release` must follow every `acquire` that took it. */
export class FileLock {
  readonly #database: string
  readonly #path: string
  readonly #sharedWith: string | undefined
  readonly #isMountedAlone: boolean
  #ownership: Ownership | undefined
  /** Why there can be no entry in the folder; found out once. */
  #failure: string | undefined
  /** What holds the lock: the entry in the folder, or the descriptor with the exclusive flock. */
  #held: "entry" | number | undefined

  /** @param database absolute path of the database file, symbolic links resolved */
  constructor(database: string) {
    this.#database = database
    this.#path = lockOf(database)
    this.#sharedWith = sharedFileSystem(database)
    this.#isMountedAlone = isMountedAlone(database)
  }

  /**
   * Takes the lock if nobody else has it.
   *
   * @param descriptor an open descriptor of the file
   * @param writes     whether the file is to be changed
   */
  acquire(descriptor: number, writes: boolean): Answer {
    if (this.#sharedWith !== undefined) return writes ? refused(this.#whyShared(this.#sharedWith)) : taken
    if (this.#held !== undefined) return taken
    if (fstatSync(descriptor).nlink > 1) return this.#acquireFile(descriptor, "the file has more than one link")
    if (this.#isMountedAlone) return this.#acquireFile(descriptor, "the file is mounted apart from its folder")
    return this.#acquireEntry(descriptor)
  }

  #whyShared(fileSystem: string): string {
    return (
      `its file system (${fileSystem}) may be shared with other machines, which a lock of this one does not keep out. ` +
      `If nothing else uses the file, open it as file:${this.#database}?nolock=1`
    )
  }

  #acquireEntry(descriptor: number): Answer {
    for (let attempt = 0; attempt < 3 && this.#failure === undefined; attempt++) {
      try {
        this.#ownership ??= this.#makeFifo(descriptor)
        if (this.#ownership === undefined) return busy
        if (!take(this.#path, this.#ownership.fifo)) return busy
        this.#held = "entry"
        return taken
      } catch (thrown) {
        this.#removeFifo()
        // ENOENT: an opener saw the FIFO before it was open, and swept it. The next one has another name.
        if (!failedWith(thrown, "ENOENT")) this.#failure = thrown instanceof Error ? thrown.message : String(thrown)
      }
    }
    return this.#acquireFile(descriptor, `no lock can be kept beside it (${this.#failure ?? "it is removed again and again"})`)
  }

  /** Makes the FIFO and takes the shared flock. `undefined`: another owner has the file for itself. Throws if there can be no FIFO. */
  #makeFifo(descriptor: number): Ownership | undefined {
    const fifo = nameFifo(this.#path)
    const shared = this.#reopen(descriptor)
    const made = makeFifoAndShare(fifo, shared)
    const isLocked = "isLocked" in made && made.isLocked
    if (shared !== undefined && !isLocked) closeSync(shared)
    if ("failure" in made) throw new Error(made.failure)
    if (made.isBusy) {
      removeIfPresent(fifo)
      return undefined
    }
    const ownership = { fifo, shared: isLocked ? shared : undefined, fifoDescriptor: openFifo(fifo) }
    ourFifos.add(fifo)
    sweepFifos(this.#path)
    return ownership
  }

  #removeFifo(): void {
    const ownership = this.#ownership
    this.#ownership = undefined
    if (ownership === undefined) return
    ourFifos.delete(ownership.fifo)
    try {
      removeIfPresent(ownership.fifo)
    } finally {
      closeSync(ownership.fifoDescriptor)
      if (ownership.shared !== undefined) closeSync(ownership.shared)
    }
  }

  /** Takes the flock of the file itself, alone: it holds whatever the file is called. @param why the reason that there is no entry */
  #acquireFile(descriptor: number, why: string): Answer {
    this.#removeFifo()
    if (livenessOf(this.#path) === "alive") return { outcome: "busy", reason: undefined }
    const own = this.#reopen(descriptor)
    if (own === undefined) return refused("the file has been replaced by another")
    const lock = lockExclusively(own)
    if (lock === "locked") {
      this.#held = own
      return taken
    }
    closeSync(own)
    if (lock === "busy") return { outcome: "busy", reason: `${why}, so it must be open nowhere else` }
    return refused(`${why}, and the file itself cannot be locked (${lock.failure})`)
  }

  /** A descriptor of our own: SQLite closes its own when it likes. `undefined` if the path names another file by now. */
  #reopen(descriptor: number): number | undefined {
    let own: number
    try {
      own = openSync(this.#database, "r")
    } catch {
      return undefined
    }
    const [ours, theirs] = [fstatSync(own, { bigint: true }), fstatSync(descriptor, { bigint: true })]
    if (ours.ino === theirs.ino && ours.dev === theirs.dev) return own
    closeSync(own)
    return undefined
  }

  /** Whether another living owner holds the file now. */
  isHeldByAnother(): boolean {
    return this.#held === undefined && this.#sharedWith === undefined && livenessOf(this.#path) === "alive"
  }

  release(): void {
    const held = this.#held
    this.#held = undefined
    if (held === "entry") removeIfPresent(this.#path)
    else if (held !== undefined) closeSync(held)
  }

  /** Releases and forgets: called when the last descriptor of the file closes. */
  dispose(): void {
    this.release()
    this.#removeFifo()
  }
}

/**
 * Whether anything but this thread has the database file open and may still
 * write it: a connection of this package, from its first statement until it
 * is closed, or native SQLite at work where /proc/locks shows it. It tells of
 * this moment; to keep others out meanwhile, ask within `BEGIN EXCLUSIVE`.
 *
 * @example if (isInUse("pets.db")) throw new Error("Stop the service first.")
 */
export const isInUse = (path: string): boolean => {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (file === undefined) return false
  const database = realpathSync(path)
  if (livingFifos(lockOf(database)).some((fifo) => !ourFifos.has(fifo))) return true
  if (isKeptOutByNative(kernelName(file.dev, file.ino), wholeFile, `${database}-shm`)) return true
  const descriptor = openSync(database, "r")
  try {
    // An owner without a FIFO has the file for itself, which our own shared flock, if we have one, would have prevented.
    return ![...ourFifos].some((fifo) => fifo.startsWith(`${lockOf(database)}-`)) && lockExclusively(descriptor) === "busy"
  } finally {
    closeSync(descriptor)
  }
}
