/**
 * Keeps what a program still has of a store after another file took the store's place: the content goes to a backup next to the
 * new file, and the old log goes out of the way, because SQLite would replay it into the new file.
 */
import { closeSync, copyFileSync, fsyncSync, openSync, renameSync, rmSync, statSync, truncateSync } from "node:fs"
import { basename, dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { makePrivate } from "../../private-file.js"
import { rollBack, thenClose } from "./connection.js"
import { contentsOf, openCopy, seal } from "./copy.js"
import { explain, isDiskFull } from "./errors.js"
import { foreignLog } from "./log-owner.js"
import {
  type DatabaseSyncClass,
  type Fate,
  type FileIdentity,
  isSameStore,
  isStillThere,
  type Name,
  type OpenFile,
  storeIn,
} from "./one-name.js"
import { logAside, nameAside } from "./store-file.js"
import { lockStore, StoreLockTaken } from "./store-lock.js"

const syncSync = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Throws if the content of an overwritten file is not whole: pages that are neither in the log nor in memory are lost. */
const refuseTorn = (connection: DatabaseSync, { beside }: FileIdentity): void => {
  if (beside.length === 0) throw new Error("Without a log, SQLite reads the new content.")
  const [problem] = Object.values(connection.prepare("PRAGMA integrity_check(1)").get() ?? {})
  if (problem !== "ok") throw new Error(String(problem))
}

/** Copies the store that a connection has open to a backup next to the store's name, and returns the backup's name. */
const keepContent = (Sqlite: DatabaseSyncClass, connection: DatabaseSync, { file: store, content }: FileIdentity): string => {
  const aside = nameAside(store, "replaced")
  const unfinished = `${aside}.unfinished`
  try {
    makePrivate(unfinished, store)
    connection.prepare("VACUUM INTO ?").run(unfinished)
    thenClose(openCopy({ DatabaseSync: Sqlite }, unfinished), (copy) => {
      if (content !== undefined && !isSameStore(storeIn(copy), content.number)) throw new Error("The content is another one.")
      seal(copy, contentsOf(copy))
    })
    syncSync(unfinished)
    renameSync(unfinished, aside)
    syncSync(dirname(store))
    return aside
  } finally {
    rmSync(unfinished, { force: true })
    rmSync(`${unfinished}-journal`, { force: true })
  }
}

/**
 * Takes the log of a file that was replaced or overwritten out of the way, and returns the name of the copy, if one is kept.
 * Empties the log itself, so that no connection that is still open can write the log's pages into the new content.
 *
 * @param beside the log and its index as they were opened
 */
const dropLog = (store: string, beside: ReadonlyArray<OpenFile>, keepsCopy: boolean): string | undefined => {
  const copy = logAside(nameAside(store, "replaced"))
  let kept: string | undefined
  for (const file of beside.filter(isStillThere)) {
    if (file.name.endsWith("-wal")) {
      if (keepsCopy) {
        makePrivate(copy, file.name)
        copyFileSync(file.name, copy)
        syncSync(copy)
        syncSync(dirname(store))
        kept = copy
      }
      truncateSync(file.name)
    }
    rmSync(file.name)
  }
  syncSync(dirname(store))
  return kept
}

/** Why a file must not be read together with the log next to it, which belongs to a former file. */
export const withForeignLog = (store: string): string | undefined =>
  foreignLog(store) === undefined
    ? undefined
    : `${store} was replaced, and the log next to it belongs to the former file. Start the service, which moves the log out of the way.`

/** Moves a log or journal that belongs to another file out of the way. Returns a sentence about it, if there was one. */
export const moveForeignLog = (store: string): string | undefined => {
  const suffix = foreignLog(store)
  if (suffix === undefined) return undefined
  const aside = logAside(nameAside(store, "replaced"))
  renameSync(`${store}${suffix}`, aside)
  rmSync(`${store}-shm`, { force: true })
  syncSync(dirname(store))
  return `The log next to ${store} belongs to another file, which this file replaced. It was moved to ${basename(aside)}, with changes that are in no other file.`
}

/** How long a new file must not have changed before it counts as complete, in ms, and how often to look. */
const quietMillis = 1_000
const lookMillis = 100

/** Changes whenever the file changes; empty while the file is missing, empty or unreachable. */
const versionOf = (file: string): string => {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true })
    return size === 0n ? "" : `${ino} ${size} ${mtimeNs}`
  } catch {
    return ""
  }
}

/** Waits until a file exists and is not being written, because a copy over a file takes time. */
const untilComplete = (file: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    let last = ""
    let since = performance.now()
    while (last === "" || performance.now() - since < quietMillis) {
      const now = versionOf(file)
      if (now !== last) since = performance.now()
      last = now
      yield* Effect.sleep(lookMillis)
    }
  })

/** How a program keeps what it has of a store that was replaced. */
export interface Replacement {
  /** Keeps the content. Completes once the new file is complete. */
  readonly keep: Effect.Effect<void>
  /**
   * Keeps the content if that was not done, and takes the log out of the way. Runs right before the connection is closed. Returns
   * whether closing is safe: the last connection that is closed writes the log's pages into the file.
   */
  readonly leave: () => boolean
}

/** How often to try again to keep the content, in ms. The disk may be full. */
const againMillis = 5_000

/** @param warn called with sentences for the operator */
export const replacementOf = (
  Sqlite: DatabaseSyncClass,
  connection: DatabaseSync,
  identity: FileIdentity,
  { name, isService, warn }: { readonly name: Name; readonly isService: boolean; readonly warn: (sentence: string) => void },
): Replacement => {
  const { file } = identity
  let aside: string | undefined
  let isDone = false

  /** If a service has the store open too, the service keeps the content. */
  const isOurs = (): boolean => {
    if (isService) return true
    try {
      lockStore(file, "service", 0).release()
      return true
    } catch (thrown) {
      if (thrown instanceof StoreLockTaken) return false
      throw thrown
    }
  }

  /** Throws if the content could be kept, but not now. */
  const keepNow = (): void => {
    if (isDone || !isOurs()) return
    rollBack(connection)
    const fate = name.fate()
    if (fate === "kept") connection.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    else {
      try {
        if (fate === "overwritten") refuseTorn(connection, identity)
        aside = keepContent(Sqlite, connection, identity)
      } catch (thrown) {
        if (fate !== "overwritten" || isDiskFull(thrown)) throw thrown
      }
      warn(
        aside === undefined
          ? `${file} was overwritten while it was in use, and its former content is not whole any more.`
          : `${file} was ${fate} while it was in use. Its former content is in ${aside}. To bring it back, stop the service and run: petstore restore --replace ${aside}`,
      )
    }
    isDone = true
  }

  const attempt = Effect.try({ try: keepNow, catch: (thrown) => thrown }).pipe(
    Effect.tapError((thrown) =>
      Effect.sync(() => warn(`The former content of ${file} cannot be kept yet: ${explain(thrown, file)}`)),
    ),
  )
  return {
    keep: Effect.zipRight(Effect.retry(attempt, Schedule.spaced(againMillis)), untilComplete(file)).pipe(Effect.orDie),
    leave: () => {
      if (name.look() === undefined) return true
      try {
        keepNow()
      } catch (thrown) {
        warn(`The former content of ${file} cannot be kept: ${explain(thrown, file)}`)
      }
      let fate: Fate | undefined
      try {
        fate = name.fate()
        // A log without a file stays, so that no program creates an empty store in the file's place.
        if (fate === "kept" || fate === "removed" || !isOurs()) return true
        const log = dropLog(file, identity.beside, aside === undefined || fate === "overwritten")
        if (log !== undefined) warn(`The former log of ${file}, with its last changes, is in ${log}.`)
        return true
      } catch (thrown) {
        // The next program that opens the file moves the log.
        warn(`The former log of ${file} stays next to it for now: ${explain(thrown, file)}`)
        return fate === "replaced"
      }
    },
  }
}
