/**
 * The kernel locks that other programs hold on a file, as shown by /proc/locks. Native SQLite takes such locks and does not see
 * ours. This module detects a native program that currently holds a lock, but not a program that takes a lock later.
 */
import { readFileSync, statSync } from "node:fs"

interface ByteRange {
  readonly first: number
  readonly last: number
  readonly exclusive: boolean
}

/** The content of /proc/locks; "" if the file cannot be read. Node.js reads UTF-8 faster than other encodings. */
const locksOfKernel = (): string => {
  try {
    return readFileSync("/proc/locks", "utf8")
  } catch {
    return ""
  }
}

const hexadecimal = (value: bigint) => value.toString(16).padStart(2, "0")

/** A file's device and inode as /proc/locks writes them. */
export const kernelName = (device: bigint, inode: bigint): string => {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn)
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn)
  return `${hexadecimal(major)}:${hexadecimal(minor)}:${inode}`
}

/** The fcntl locks on a file. Skips flock(2) locks, such as our own. */
const rangesOn = (locks: string, name: string): ByteRange[] => {
  const ranges: ByteRange[] = []
  for (let at = locks.indexOf(` ${name} `); at >= 0; at = locks.indexOf(` ${name} `, at + 1)) {
    // "1: POSIX  ADVISORY  READ 4711 fe:00:131081 1073741826 1073742335"
    const line = locks.slice(locks.lastIndexOf("\n", at) + 1, locks.indexOf("\n", at))
    const [, type, first, last] = /^\d+: (?:POSIX|OFDLCK) +\S+ +(READ|WRITE) .* (\d+) (\d+|EOF)$/.exec(line) ?? []
    if (type === undefined) continue
    ranges.push({
      first: Number(first),
      last: last === "EOF" ? Number.POSITIVE_INFINITY : Number(last),
      exclusive: type === "WRITE",
    })
  }
  return ranges
}

/** Whether a native program holds a lock that conflicts with `wanted`, or has locked the WAL shared memory at `sharedMemory`. */
export const isKeptOutByNative = (name: string, wanted: ByteRange, sharedMemory: string): boolean => {
  const locks = locksOfKernel()
  const held = rangesOn(locks, name)
  // A connection in WAL mode keeps a lock on both files.
  if (held.length === 0) return false
  const shared = statSync(sharedMemory, { bigint: true, throwIfNoEntry: false })
  if (shared !== undefined && rangesOn(locks, kernelName(shared.dev, shared.ino)).length > 0) return true
  return held.some(
    ({ first, last, exclusive }) => (exclusive || wanted.exclusive) && first <= wanted.last && last >= wanted.first,
  )
}
