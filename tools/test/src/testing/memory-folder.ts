/**
 * Puts the temporary files and Node's compile cache of `npm test` into memory if there is enough room, because syncing to a disk
 * takes most of the time, and none of these tests simulates a power failure. Long tests use the disk.
 */
import { spawn } from "node:child_process"
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

const memory = "/dev/shm"

/** Many times the space that the tests need at once. */
const neededBytes = 2 ** 31

const hasRoom = (): boolean => {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= neededBytes
  } catch {
    return false
  }
}

/** Where a long test that simulates no power failure puts its stores. */
export const folderInMemory = (): string => (hasRoom() ? memory : tmpdir())

let folder: string | undefined

export const setup = ({ vitest }: TestProject): void => {
  const hasLongTests = vitest.projects.some(({ name }) => name === "long")
  if (folder !== undefined || hasLongTests || !hasRoom()) return
  folder = mkdtempSync(join(memory, "petstore-test-"))
  // PostgreSQL may run as another user in this folder.
  chmodSync(folder, 0o755)
  // biome-ignore lint/style/noProcessEnv: the run's workers inherit it for their temporary files
  process.env["TMPDIR"] = folder
  // A run starts hundreds of processes, which would all compile the same code.
  // biome-ignore lint/style/noProcessEnv: see above; a test passes this variable on to the processes that it starts
  process.env["NODE_COMPILE_CACHE"] = join(folder, "compiled")
  // After Ctrl-C, Vitest calls no teardown, and workers and servers write here until they exit.
  process.once("exit", () => {
    if (folder === undefined) return
    spawn("sh", ["-c", 'sleep 2; rm -rf "$0"', folder], { detached: true, stdio: "ignore" }).unref()
  })
}

export const teardown = (): void => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  folder = undefined
}
