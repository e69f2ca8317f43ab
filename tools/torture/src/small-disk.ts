/** A small file system for the store, which can be filled without side effects. */
import { spawnSync } from "node:child_process"
import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs"
import { join } from "node:path"

/** Mounts an in-memory file system of this size. Returns why this is impossible here, or `undefined`. */
export const mountSmallDisk = (folder: string, mebibytes: number): string | undefined => {
  const { error, stderr, status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "petstore-torture", folder])
  if (error !== undefined) return "there is no mount command"
  return status === 0 ? undefined : `a small file system cannot be mounted: ${stderr.toString().trim()}`
}

export const unmountSmallDisk = (folder: string): void => void spawnSync("umount", ["--lazy", folder])

/** Fills the disk. Returns the function that frees the space again. */
export const fillDisk = (folder: string): (() => void) => {
  const filler = join(folder, "filler")
  const file = openSync(filler, "w")
  try {
    const { bavail, bsize } = statfsSync(folder)
    const block = Buffer.alloc(bsize * 64, 1)
    for (let left = bavail; left > 0; ) left -= writeSync(file, block.subarray(0, Math.min(left, 64) * bsize)) / bsize
  } catch (thrown) {
    // The disk filled up earlier than expected, because another process also wrote to it.
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ENOSPC")) throw thrown
  } finally {
    closeSync(file)
  }
  return () => rmSync(filler, { force: true })
}
