/** Moves the former store's files aside. At any time, the former store, the new store or a marker that blocks programs exists. */
import { createReadStream, createWriteStream, existsSync, readFileSync, statSync } from "node:fs"
import { appendFile, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { pipeline } from "node:stream/promises"
import { BackupFailed, BackupOfAnotherDeployment } from "../../backup-failed.js"
import { makePrivate } from "../../private-file.js"
import { sync } from "../../publish-file.js"
import type { Contents, Restored, RestoredKeys, RestoreOptions } from "../../store-copy.js"
import { closeAfter, thenClose } from "./connection.js"
import {
  allPages,
  contentsOf,
  type Engine,
  hasContents,
  isOurs,
  manifest,
  manifestOf,
  openCopy,
  removeWithSiblings,
  syncWithName,
} from "./copy.js"
import { explain, faultOf, isDiskFull } from "./errors.js"
import { foreignLog } from "./log-owner.js"
import { moveForeignLog } from "./set-aside.js"
import { fileBehind, headOf, immutable, isThere, nameAside, noFile, ownNames, partsOf, restoreMarker } from "./store-file.js"
import { isLocked, lockStore, type StoreLock, StoreLockTaken } from "./store-lock.js"
import { openMillis } from "./waiting.js"

const inUse = (store: string, cause: unknown): BackupFailed =>
  new BackupFailed({
    reason: `The store at ${store} is in use. Stop the programs that use it first: the service, a quickstart, other commands.`,
    cause,
  })

const isDamage = (thrown: unknown): boolean => /malformed|not a database/.test(String(thrown))

const unreadable = (file: string, cause: unknown): BackupFailed => {
  const said = cause instanceof Error ? cause.message : String(cause)
  const reason = isDamage(cause) ? `${said}. It is damaged or not a backup.` : explain(cause, file)
  return new BackupFailed({ reason: `${file} cannot be restored, and nothing was changed: ${reason}`, cause })
}

const unwritable = (store: string, cause: unknown): BackupFailed =>
  new BackupFailed({ reason: `The store at ${store} cannot be created: ${explain(cause, store)}`, cause })

const lockExclusively = (store: string): StoreLock => {
  try {
    return lockStore(store, "exclusive", 0)
  } catch (thrown) {
    if (thrown instanceof StoreLockTaken) throw inUse(store, thrown)
    throw unwritable(store, thrown)
  }
}

const openBackup = ({ DatabaseSync }: Engine, file: string): DatabaseSync => {
  const open = () => new DatabaseSync(immutable(file), { timeout: openMillis })
  try {
    thenClose(open(), (original) => original.prepare("SELECT count(*) FROM sqlite_schema").get())
    return open()
  } catch (thrown) {
    throw unreadable(file, thrown)
  }
}

/** Whether a backup, or a copy of one, still contains what was backed up. */
const isWhole = (connection: DatabaseSync, manifested: Contents): boolean => {
  const [problem] = connection.prepare("PRAGMA integrity_check(1)").all()
  return problem?.["integrity_check"] === "ok" && hasContents(connection, manifested)
}

const different = (file: string): string => `${file} does not contain what was backed up: it is damaged.`

/** Compares a backup with the checksum that it contains, without copying it. Throws `BackupFailed` if they differ. */
export const verifySqlite = (engine: Engine, file: string): Contents => {
  try {
    return thenClose(openBackup(engine, file), (original) => {
      const contents = manifestOf(original, file)
      if (!isWhole(original, contents)) throw new BackupFailed({ reason: different(file) })
      return contents
    })
  } catch (thrown) {
    throw thrown instanceof BackupFailed ? thrown : unreadable(file, thrown)
  }
}

const copyVerified = async (
  engine: Engine,
  file: string,
  unfinished: string,
  onStep: (step: string) => void,
): Promise<Contents> => {
  // A backup is a single file, so a log next to it belongs to something else.
  const manifested = await closeAfter(openBackup(engine, file), async (original) => {
    const contents = manifestOf(original, file)
    onStep("copying the backup")
    await engine.backup(original, unfinished, { rate: allPages })
    return contents
  })
  onStep("verifying the copy")
  thenClose(openCopy(engine, unfinished), (copy) => {
    if (!isWhole(copy, manifested)) throw new BackupFailed({ reason: `${different(file)} Nothing was changed.` })
    copy.exec(`DROP TABLE ${manifest}`)
  })
  return manifested
}

/** Copies a store's file with its log or journal, all of them unchanged, and lets SQLite apply the log to the copy. */
const copyUnverified = async (
  engine: Engine,
  file: string,
  store: string,
  unfinished: string,
  onStep: (step: string) => void,
): Promise<Contents> => {
  const refuse = (reason: string) => new BackupFailed({ reason: `${reason} Nothing was changed.` })
  const original = fileBehind(file)
  if (original === store) throw refuse(`${file} is the store itself: its keys would count as good. Give it another name first.`)
  if (isLocked(original)) throw refuse(`${file} is in use. Stop the programs that use it first, or back it up.`)
  if (foreignLog(original) !== undefined) throw refuse(`The log next to ${file} belongs to another file. Move it away.`)
  onStep("copying the file")
  for (const suffix of ["", "-wal", "-journal"]) {
    if (!existsSync(`${original}${suffix}`)) continue
    makePrivate(`${unfinished}${suffix}`, store)
    await pipeline(createReadStream(`${original}${suffix}`), createWriteStream(`${unfinished}${suffix}`))
  }
  onStep("checking the copy")
  return thenClose(openCopy(engine, unfinished), (copy) => {
    const [problem] = copy.prepare("PRAGMA integrity_check(1)").all()
    if (problem?.["integrity_check"] !== "ok") throw refuse(`${file} is damaged: ${String(problem?.["integrity_check"])}.`)
    if (!isOurs(copy)) throw refuse(`${file} is not a store of this program.`)
    // A new number, because a log of the original may still be where the service finds it.
    copy.exec(`PRAGMA application_id = 0; DROP TABLE IF EXISTS ${manifest}`)
    return contentsOf(copy)
  })
}

/** Whether a file starts with the SQLite header (https://sqlite.org/fileformat2.html#magic_header_string). */
const hasHead = (file: string): boolean => headOf(file).toString("latin1", 0, 16) === "SQLite format 3\0"

/**
 * Checkpoints the log into the store's file, so that the store is moved as a single file. Returns whether damage prevents this.
 * Throws if a program without our lock has the store open, because that program would write into the new store's files.
 */
const checkpointLog = async ({ DatabaseSync }: Engine, store: string): Promise<boolean> => {
  // SQLite treats a file without a header as a new file, and deletes its log.
  if (!hasHead(store)) return true
  try {
    // Leaving WAL mode needs exclusive access; reading rolls back an unfinished transaction.
    const checkpoint = "PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE; SELECT count(*) FROM sqlite_schema; COMMIT"
    thenClose(new DatabaseSync(store, { timeout: 0 }), (connection) => connection.exec(checkpoint))
    return false
  } catch (thrown) {
    if (faultOf(thrown).kind === "busy") throw inUse(store, thrown)
    if (isDiskFull(thrown)) {
      throw new BackupFailed({
        reason: `Nothing was changed. The log of the store at ${store} cannot be written into the store's file: ${explain(thrown, store)}`,
        cause: thrown,
      })
    }
    return true
  }
}

/**
 * The former store's file, if it is complete: under its name, or where an interrupted restore moved it. A file that an
 * interrupted restore put in place does not count, and neither does a file without its log.
 */
const formerOf = (store: string): string | undefined => {
  const marker = restoreMarker(store)
  const [first, ...others] = existsSync(marker) ? readFileSync(marker, "utf8").split("\n") : []
  // The first restore found nothing to move.
  if (first === "" && others.length > 0) return undefined
  const names = [first ?? "", ...others, store].filter((name) => name !== "" && partsOf(name).length > 0)
  const [former] = names
  const isTorn = names.some((name) => !existsSync(name))
  return isTorn || former === undefined || partsOf(former).length > 1 ? undefined : former
}

/** Moves all the former store's files aside and the new store into place. If a step fails, all earlier steps are undone. */
const swap = async (store: string, parts: ReadonlyArray<string>, aside: string, unfinished: string): Promise<void> => {
  const marker = restoreMarker(store)
  const repeats = existsSync(marker)
  const moves = [...parts.map((part) => [part, `${aside}${part.slice(store.length)}`] as const), [unfinished, store] as const]
  const moved: Array<readonly [from: string, to: string]> = []
  try {
    // Marks that a restore is running, and where it moves the former store. An interrupted restore's marker remains.
    await appendFile(marker, `${parts.length > 0 ? aside : ""}\n`)
    await syncWithName(marker)
    for (const move of moves) {
      await rename(...move)
      moved.unshift(move)
    }
    await sync(dirname(store))
  } catch (thrown) {
    for (const [from, to] of moved) await rename(to, from)
    // The marker must not be removed before the renames are on disk.
    await sync(dirname(store))
    // An interrupted restore left the store incomplete, and a failed second attempt does not change that, so the marker remains.
    if (!repeats) await rm(marker, { force: true })
    throw thrown
  }
  await rm(marker)
  await sync(dirname(store))
}

/**
 * Creates the store at `path` from a backup, which stays unchanged. Rejects with `BackupFailed`, or an error from `settle`.
 *
 * @param settle prepares the verified copy for use before it gets its name; `former` is the former store's file, if it is complete
 */
export const restoreFile = async (
  engine: Engine,
  path: string,
  file: string,
  { replace, unverified = false, onStep = () => {} }: RestoreOptions,
  settle: (copy: DatabaseSync, former: string | undefined) => Promise<RestoredKeys>,
): Promise<Restored> => {
  if (!existsSync(file)) throw new BackupFailed({ reason: `There is no file ${file}.` })
  if (!statSync(file).isFile()) throw new BackupFailed({ reason: `${file} is not a regular file. Nothing was changed.` })
  const store = fileBehind(path)
  const other = noFile(store)
  if (other !== undefined) throw new BackupFailed({ reason: `${other} Nothing was changed.` })
  const unfinished = `${store}.unfinished`
  if ([...ownNames(store), ...ownNames(unfinished)].some((name) => name !== store && name === fileBehind(file))) {
    throw new BackupFailed({ reason: `${file} is a name that the restore itself uses. Rename the backup. Nothing was changed.` })
  }
  const lock = lockExclusively(store)
  try {
    if (isThere(store) && !replace) {
      throw new BackupFailed({ reason: `There is already a store at ${path}.`, mayReplace: true })
    }
    await removeWithSiblings(unfinished)
    makePrivate(unfinished, store)
    const copied = unverified
      ? copyUnverified(engine, file, store, unfinished, onStep)
      : copyVerified(engine, file, unfinished, onStep)
    const contents = await copied.catch((thrown: unknown) => {
      throw isDamage(thrown) && !(thrown instanceof BackupFailed) ? unreadable(file, thrown) : thrown
    })
    onStep("putting the copy into place")
    // Otherwise, the former store would be moved aside with the changes of a store before it.
    const moved = moveForeignLog(store)
    if (moved !== undefined) onStep(moved)
    const wasDamaged = existsSync(store) && (await checkpointLog(engine, store))
    const keys = await closeAfter(openCopy(engine, unfinished), (copy) => settle(copy, formerOf(store)))
    await syncWithName(unfinished)
    const parts = partsOf(store)
    const aside = nameAside(store, "before-restore")
    await swap(store, parts, aside, unfinished)
    const [first] = parts
    return {
      ...contents,
      keys,
      movedAside: first === undefined ? undefined : `${aside}${first.slice(store.length)}`,
      wasDamaged,
    }
  } catch (thrown) {
    throw thrown instanceof BackupFailed || thrown instanceof BackupOfAnotherDeployment ? thrown : unwritable(store, thrown)
  } finally {
    await removeWithSiblings(unfinished)
    lock.release()
  }
}
