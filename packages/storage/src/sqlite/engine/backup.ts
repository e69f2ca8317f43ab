/** Copies a SQLite store while it is in use. A row count and a checksum verify the copy. */
import { randomBytes } from "node:crypto"
import { statSync } from "node:fs"
import { BackupFailed } from "../../backup-failed.js"
import { makePrivate } from "../../private-file.js"
import { publishFile } from "../../publish-file.js"
import type { Contents } from "../../store-copy.js"
import { closeAfter, thenClose } from "./connection.js"
import { allPages, contentsOf, type Engine, hasContents, openCopy, removeWithSiblings, seal, syncWithName } from "./copy.js"
import { explain } from "./errors.js"
import { inTheWay, secondName } from "./one-name.js"
import { withForeignLog } from "./set-aside.js"
import { fileBehind, interruptedRestore, missingStore, noFile, ownNames, partsOf } from "./store-file.js"
import { lockStore, type StoreLock, StoreLockTaken } from "./store-lock.js"
import { openMillis } from "./waiting.js"

/** Copies the current store. Counts its content in the same snapshot. */
const copyOf = ({ DatabaseSync, backup }: Engine, store: string, file: string): Promise<Contents> =>
  // Not read-only, because a killed process's unfinished transaction must be rolled back first.
  closeAfter(new DatabaseSync(store, { timeout: openMillis }), async (source) => {
    source.exec("BEGIN")
    const contents = contentsOf(source)
    await backup(source, file, { rate: allPages }).catch((thrown) => {
      throw /malformed/.test(String(thrown)) ? thrown : unwritable(file, thrown)
    })
    source.exec("COMMIT")
    return contents
  })

/** Whether the engine is Node's, and not sqljs. */
const isNative = ({ DatabaseSync }: Engine): boolean => DatabaseSync === process.getBuiltinModule?.("node:sqlite")?.DatabaseSync

const unreadable = (store: string, cause: unknown): BackupFailed =>
  new BackupFailed({ reason: `The store at ${store} cannot be read: ${explain(cause, store)}`, cause })

const unwritable = (file: string, cause: unknown): BackupFailed =>
  new BackupFailed({ reason: `${file} cannot be written: ${explain(cause, file)}`, cause })

const alreadyThere = (file: string): BackupFailed => new BackupFailed({ reason: `${file} already exists.`, mayReplace: true })

/** Runs a step that only uses the store. Rejects with `BackupFailed`. */
const onStore = async <A>(store: string, step: () => A | Promise<A>): Promise<A> => {
  try {
    return await step()
  } catch (thrown) {
    if (thrown instanceof StoreLockTaken) throw new BackupFailed({ reason: `The store at ${store} is being restored.` })
    throw thrown instanceof BackupFailed ? thrown : unreadable(store, thrown)
  }
}

/** A store's file that other programs may use, with a lock against a restore. Rejects with `BackupFailed`. */
export const storeInUse = async (engine: Engine, path: string): Promise<{ readonly store: string; readonly lock: StoreLock }> => {
  const store = fileBehind(path)
  // Unlike `existsSync`, `statSync` fails if this process cannot tell.
  const stat = await onStore(store, () => statSync(store, { throwIfNoEntry: false }))
  if (stat === undefined) throw new BackupFailed({ reason: missingStore(path).reason, isMissing: true })
  const other = noFile(store)
  if (other !== undefined) throw new BackupFailed({ reason: other })
  const program = await onStore(store, () => inTheWay(store, { isNative: isNative(engine), isReadOnly: false }))
  if (program !== undefined) throw new BackupFailed({ reason: program })
  const lock = await onStore(store, () => lockStore(store, "shared", openMillis))
  const interrupted = interruptedRestore(store) ?? secondName(store) ?? withForeignLog(store)
  if (interrupted === undefined) return { store, lock }
  lock.release()
  throw new BackupFailed({ reason: interrupted })
}

/**
 * Copies a store in use to a file in an existing folder. With `replace`, replaces an existing file once the copy is complete.
 * Rejects with `BackupFailed`.
 */
export const backupSqlite = async (
  engine: Engine,
  path: string,
  file: string,
  replace: boolean,
  onStep: (step: string) => void = () => {},
): Promise<Contents> => {
  const { store, lock } = await storeInUse(engine, path)
  // A unique name, so that two backups to the same file do not overwrite each other's data.
  const unfinished = `${file}.${randomBytes(6).toString("hex")}.unfinished`
  try {
    if (ownNames(store).includes(fileBehind(file))) {
      throw new BackupFailed({ reason: `${file} is a name that the store at ${path} itself uses: choose another name.` })
    }
    // A leftover log with this name would be replayed into the backup when the backup is opened.
    const beside = partsOf(file).find((part) => !replace || part !== file)
    if (beside === file) throw alreadyThere(file)
    if (beside !== undefined) {
      throw new BackupFailed({
        reason: `${beside} is next to ${file}, and would be treated as part of it. Choose another file name.`,
      })
    }
    makePrivate(unfinished)
    onStep("copying the store")
    const contents = await onStore(store, () => copyOf(engine, store, unfinished))
    onStep("verifying the copy")
    thenClose(openCopy(engine, unfinished), (copy) => {
      if (!hasContents(copy, contents)) {
        throw new BackupFailed({ reason: "The copy differs from the store, so it was deleted." })
      }
      seal(copy, contents)
    })
    await syncWithName(unfinished)
    if (!(await publishFile(unfinished, file, { replace }))) throw alreadyThere(file)
    return contents
  } catch (thrown) {
    throw thrown instanceof BackupFailed ? thrown : unwritable(file, thrown)
  } finally {
    await removeWithSiblings(unfinished)
    lock.release()
  }
}
