/** The file that a command is told to write: it replaces nothing and makes no folder unless somebody asks. */
import { existsSync, realpathSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { type DatabaseUrl, filesOfStore } from "@petstore/storage"
import { Effect } from "effect"
import { CommandFailed, WrongUsage } from "../program.js"

/** Refuses to replace a file. */
export const alreadyThere = (file: string): CommandFailed =>
  new CommandFailed({ reason: `${file} is there already. Name another file, or say --replace.` })

/**
 * Where to write: behind a symbolic link, in a folder that is there, and never in place of a device, a pipe or the
 * store. A file that is there is refused, unless it may be replaced.
 */
export const targetOf = (
  file: string,
  { database, replace }: { readonly database: DatabaseUrl; readonly replace: boolean },
): Effect.Effect<string, CommandFailed | WrongUsage> =>
  Effect.suspend((): Effect.Effect<string, CommandFailed | WrongUsage> => {
    const target = existsSync(file) ? realpathSync(file) : file
    const folder = dirname(resolve(target))
    if (!existsSync(folder)) {
      return new CommandFailed({ reason: `There is no folder ${folder} for ${file}. Make it: mkdir -p ${folder}` })
    }
    if (filesOfStore(database).includes(resolve(realpathSync(folder), target))) {
      return new WrongUsage({ reason: `${file} is part of the store. Name another file.` })
    }
    if (!existsSync(target)) return Effect.succeed(target)
    if (!statSync(target).isFile()) return new WrongUsage({ reason: `${file} is no regular file.` })
    return replace ? Effect.succeed(target) : alreadyThere(file)
  })
