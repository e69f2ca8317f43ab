/** A command's output file. The command replaces an existing file only with `--replace`, and never creates a folder. */
import { existsSync, realpathSync, statSync } from "node:fs"
import { open, rm } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import type { DatabaseUrl } from "@petstore/storage"
import { filesOfStore, privateMode, publishFile } from "@petstore/storage/internal"
import { Effect } from "effect"
import { CommandFailed, messageOf, WrongUsage } from "../program.js"

const alreadyThere = (file: string): CommandFailed =>
  new CommandFailed({ reason: `${file} already exists; pass --replace, or name another file.` })

/**
 * Resolves the path to write to. Follows symbolic links, requires an existing folder, and refuses devices, pipes and the store's
 * own files. Refuses an existing file unless `replace` is set.
 */
export const targetOf = (file: string, { database, replace }: { readonly database: DatabaseUrl; readonly replace: boolean }) =>
  Effect.suspend((): Effect.Effect<string, CommandFailed | WrongUsage> => {
    const target = existsSync(file) ? realpathSync(file) : file
    const folder = dirname(resolve(target))
    if (!existsSync(folder)) {
      return new CommandFailed({ reason: `There is no folder ${folder} for ${file}. Create it: mkdir -p ${folder}` })
    }
    if (filesOfStore(database).includes(resolve(realpathSync(folder), target))) {
      return new WrongUsage({ reason: `${file} is part of the store. Name another file.` })
    }
    if (!existsSync(target)) return Effect.succeed(target)
    if (!statSync(target).isFile()) return new WrongUsage({ reason: `${file} is not a regular file. Name another file.` })
    return replace ? Effect.succeed(target) : alreadyThere(file)
  })

export type Write = (text: string) => Promise<unknown>

/** Turns a write error into a failure with the system's message. */
export const tryWriting = <A>(what: string, work: () => Promise<A>): Effect.Effect<A, CommandFailed> =>
  Effect.tryPromise({
    try: work,
    catch: (thrown) => new CommandFailed({ reason: `${what} cannot be written: ${messageOf(thrown).replace(/\.$/, "")}.` }),
  })

/**
 * Writes a file atomically: it has a temporary name until every byte is on disk. If `isWanted` returns false, the file is
 * removed. A write resolves when the previous one is complete, so that the caller can encode the next text in the meantime.
 *
 * @param what  the file's name in failures
 */
export const writeWholeFile = <A, E, R>(
  target: string,
  { what, replace, isWanted }: { readonly what: string; readonly replace: boolean; readonly isWanted?: () => boolean },
  writeAll: (write: Write) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | CommandFailed, R> => {
  const partial = `${target}.${process.pid}.partial`
  return Effect.acquireUseRelease(
    tryWriting(what, () => open(partial, "wx", privateMode)),
    (handle) =>
      Effect.gen(function* () {
        let written = Promise.resolve()
        const result = yield* writeAll((text) => {
          const before = written
          written = before.then(() => handle.appendFile(text))
          // The next write, or the sync, reports the error.
          written.catch(() => {})
          return before
        })
        if (isWanted?.() === false) return result
        yield* tryWriting(what, () => written.then(() => handle.sync()))
        const isNamed = yield* tryWriting(what, () => publishFile(partial, target, { replace }))
        return isNamed ? result : yield* alreadyThere(target)
      }),
    (handle) =>
      Effect.promise(async () => {
        await handle.close()
        await rm(partial, { force: true })
      }),
  )
}
