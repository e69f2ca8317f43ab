/** What Node.js cannot ask of the kernel, asked by programs of the system: `mkfifo`, and `flock` of util-linux or BusyBox. */
import { spawnSync } from "node:child_process"

/** What a program could not do, in words for an error message. */
export interface Failure {
  readonly failure: string
}

/**
 * The mode of the FIFO, 622, comes from the umask: `mkfifo -m` needs /proc.
 * `flock` locks the file open at descriptor 3, which it shares with this process: the lock
 * stays when the program has ended.
 */
const script = `
  if [ -n "$1" ]; then umask 044 && mkfifo "$1" || exit 10; fi
  [ -n "$2" ] || exit 0
  command -v flock >/dev/null || { echo "flock is not installed" >&2; exit 11; }
  flock "$2" -n 3
  case $? in 0) exit 0;; 1) exit 12;; *) exit 11;; esac`

const run = (fifo: string, kind: string, descriptor: number | undefined): { status: number | null; failure: string } => {
  try {
    const { status, stderr, error } = spawnSync("sh", ["-c", script, "sh", fifo, kind], {
      stdio: ["ignore", "ignore", "pipe", ...(descriptor === undefined ? [] : [descriptor])],
      encoding: "utf8",
    })
    return { status, failure: stderr?.trim() || (error?.message ?? "the program was killed") }
  } catch (thrown) {
    // Node.js's permission model throws.
    return { status: null, failure: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}

/**
 * Locks the open file behind `descriptor` with flock(2). The lock is the
 * descriptor's: closing it frees it, and so does the death of the process.
 * Node.js opens files close-on-exec, so no other child process inherits it.
 */
export const lockExclusively = (descriptor: number): "locked" | "busy" | Failure => {
  const { status, failure } = run("", "-x", descriptor)
  return status === 0 ? "locked" : status === 12 ? "busy" : { failure }
}

/**
 * Makes a FIFO that everybody may ask and only its owner may read, and then
 * locks a descriptor, if one is given, as above but shared: one program, some
 * milliseconds. `isLocked` is false too where there is no `flock`.
 */
export const makeFifoAndShare = (
  fifo: string,
  descriptor: number | undefined,
): { readonly isLocked: boolean; readonly isBusy: boolean } | Failure => {
  const { status, failure } = run(fifo, descriptor === undefined ? "" : "-s", descriptor)
  const isMade = status === 0 || status === 11 || status === 12
  return isMade ? { isLocked: status === 0 && descriptor !== undefined, isBusy: status === 12 } : { failure }
}
