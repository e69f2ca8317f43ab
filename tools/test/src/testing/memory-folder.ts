/**
 * Lays the temporary files of `npm test` into memory where Linux has room for them: a store that is synced to a disk
 * after each write waits more than it works, and nothing in these tests cuts the power. Long tests use the disk.
 * The code that Node compiles lies there too, for the next process.
 */
import { spawn } from "node:child_process"
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

const memory = "/dev/shm"

/** Many times what the tests take at once. */
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

let folder: string | undefined

export const setup = ({ vitest }: TestProject): void => {
  const hasLongTests = vitest.projects.some(({ name }) => name === "long")
  if (folder !== undefined || hasLongTests || !hasRoom()) return
  folder = mkdtempSync(join(memory, "petstore-test-"))
  // PostgreSQL may run as another user, below this folder.
  chmodSync(folder, 0o755)
  // biome-ignore lint/style/noProcessEnv: where the workers of the run, which inherit it, make their temporary files
  process.env["TMPDIR"] = folder
  // Some hundred processes start in a run, and each compiles what the one before has compiled.
  // biome-ignore lint/style/noProcessEnv: see above; of the environment of a test, this reaches the processes that it starts
  process.env["NODE_COMPILE_CACHE"] = join(folder, "compiled")
  // Of a run that Ctrl-C ends, Vitest calls no teardown, and the workers and servers that write here end after it.
  process.once("exit", () => {
    if (folder === undefined) return
    spawn("sh", ["-c", 'sleep 2; rm -rf "$0"', folder], { detached: true, stdio: "ignore" }).unref()
  })
}

export const teardown = (): void => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  folder = undefined
}
