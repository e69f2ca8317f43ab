/** Maps the `code` of a `node:fs` error to its number in WASI and Emscripten's libc. */

/** WASI error numbers. */
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

/** The `code` of an error of Node.js; `undefined` for any other. Its class may come from another realm, so it is not checked. */
export const codeOf = (thrown: unknown): string | undefined =>
  typeof thrown === "object" && thrown !== null && "code" in thrown ? String(thrown.code) : undefined

export const messageOf = (thrown: unknown): string =>
  typeof thrown === "object" && thrown !== null && "message" in thrown ? String(thrown.message) : String(thrown)

/** The number of a failure; an unknown one is an I/O error, never success. */
export const errnoOf = (thrown: unknown): number => numbers.get(codeOf(thrown) ?? "") ?? errno.EIO
