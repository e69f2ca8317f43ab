import { existsSync } from "node:fs"
import { link, open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"

/** Whether a system call failed with one of these codes. */
export const hasCode = (thrown: unknown, ...codes: ReadonlyArray<string>): boolean =>
  thrown instanceof Error && "code" in thrown && codes.includes(String(thrown.code))

/** Makes a file's content or the names in a folder survive a power failure. */
export const sync = async (path: string): Promise<void> => {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Gives a file a new name if that name is free. Returns whether the name was free. */
const takeName = async (unfinished: string, file: string): Promise<boolean> => {
  try {
    // Unlike `rename`, `link` never replaces a file.
    await link(unfinished, file)
    await rm(unfinished)
    return true
  } catch (thrown) {
    if (hasCode(thrown, "EEXIST")) return false
    // Some file systems, such as FAT, have no hard links.
    if (!hasCode(thrown, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS")) throw thrown
    if (existsSync(file)) return false
    await rename(unfinished, file)
    return true
  }
}

/** Gives a finished file its name, atomically and durably. Returns `false` if the name is taken and `replace` is `false`. */
export const publishFile = async (
  unfinished: string,
  file: string,
  { replace }: { readonly replace: boolean },
): Promise<boolean> => {
  if (replace) await rename(unfinished, file)
  else if (!(await takeName(unfinished, file))) return false
  await sync(dirname(file))
  return true
}
