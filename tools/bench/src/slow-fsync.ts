/**
 * Simulates a slow disk: fsync takes longer in a program and its child processes. A small preloaded library does this instead of
 * strace, because a tracer needs the CPU five times per fsync, which delays a busy program more.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"

/**
 * Returns the environment variables that make fsync slower.
 *
 * @param folder       where the library goes
 * @param fsyncMillis  how much longer fsync takes, in ms; 0 adds no delay
 */
export const slowFsync = (folder: string, fsyncMillis: number): Readonly<Record<string, string>> => {
  if (fsyncMillis === 0) return {}
  const library = join(folder, "slow-fsync.so")
  execFileSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, join(import.meta.dirname, "slow-fsync.c"), "-ldl"])
  return { LD_PRELOAD: library, SLOW_FSYNC_MICROS: String(fsyncMillis * 1000) }
}
