/** System call flags and commands, numbered as in musl, the libc that Emscripten uses on every host. */
import { constants as node } from "node:fs"

/** The flags of `open` in musl, each with this host's value. */
const openFlags = [
  [0o100, node.O_CREAT],
  [0o200, node.O_EXCL],
  [0o1000, node.O_TRUNC],
  [0o2000, node.O_APPEND],
  [0o400000, node.O_NOFOLLOW],
] as const

export const hostFlags = (flags: number): number =>
  openFlags.reduce((host, [theirs, ours]) => ((flags & theirs) === 0 ? host : host | ours), flags & 3)

/** fcntl commands and lock kinds. */
export const F_GETLK = 12
export const F_SETLK = 13
export const F_SETLKW = 14
export const F_UNLCK = 2
export const F_WRLCK = 1

/** Flags for calls that name a file relative to a folder. */
export const AT_REMOVEDIR = 0x200
export const AT_SYMLINK_NOFOLLOW = 0x100
