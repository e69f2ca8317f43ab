/** Delays fsync in a program and its children, with a preloaded library: strace would need the CPU five times per fsync. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"

/** Returns the environment variables that delay each fsync. Builds the library in this folder. For 0 ms, returns no variables. */
export const slowFsync = (folder: string, fsyncMillis: number): Readonly<Record<string, string>> => {
  if (fsyncMillis === 0) return {}
  const library = join(folder, "slow-fsync.so")
  execFileSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, join(import.meta.dirname, "slow-fsync.c"), "-ldl"])
  return { LD_PRELOAD: library, SLOW_FSYNC_MICROS: String(fsyncMillis * 1000) }
}
