/** Maps a `node:fs` error's `code` to its number in WASI and in Emscripten's libc. */

export const errno = {
  EACCES: 2,
  EAGAIN: 6,
  EBADF: 8,
  EBUSY: 10,
  EDQUOT: 19,
  EEXIST: 20,
  EFBIG: 22,
  EINTR: 27,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  ELOOP: 32,
  EMFILE: 33,
  ENAMETOOLONG: 37,
  ENFILE: 41,
  ENOENT: 44,
  ENOMEM: 48,
  ENOSPC: 51,
  ENOSYS: 52,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
  EPERM: 63,
  ERANGE: 68,
  EROFS: 69,
  ETXTBSY: 74,
  EXDEV: 75,
} as const

const numbers: ReadonlyMap<string, number> = new Map(Object.entries(errno))

export const failWith = (code: keyof typeof errno): never => {
  throw Object.assign(new Error(code), { code })
}

/** A Node.js error's `code`, or `undefined`. The error's class is not checked, because it may come from another realm. */
export const codeOf = (thrown: unknown): string | undefined =>
  typeof thrown === "object" && thrown !== null && "code" in thrown ? String(thrown.code) : undefined

export const messageOf = (thrown: unknown): string =>
  typeof thrown === "object" && thrown !== null && "message" in thrown ? String(thrown.message) : String(thrown)

/** A failure's error number. An unknown failure is reported as an I/O error, never as success. */
export const errnoOf = (thrown: unknown): number => numbers.get(codeOf(thrown) ?? "") ?? errno.EIO
