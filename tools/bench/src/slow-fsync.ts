/**
 * A slow disk for a program: fsync takes longer in it and its child processes. Done by a small preloaded library instead of
 * strace, because a tracer needs the processor five times for each fsync, which delays a busy program more.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"

/**
 * The environment that makes fsync slower.
 *
 * @param folder       where the library goes
 * @param fsyncMillis  how much longer fsync takes, in ms; 0 leaves the disk as it is
 */
export const slowFsync = (folder: string, fsyncMillis: number): Readonly<Record<string, string>> => {
  if (fsyncMillis === 0) return {}
  const library = join(folder, "slow-fsync.so")
  execFileSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, join(import.meta.dirname, "slow-fsync.c"), "-ldl"])
  return { LD_PRELOAD: library, SLOW_FSYNC_MICROS: String(fsyncMillis * 1000) }
}
