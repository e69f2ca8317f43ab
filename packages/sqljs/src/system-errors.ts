/** From the `code` of a `node:fs` error to the number WASI and Emscripten's libc give it. */

const numbers: Readonly<Record<string, number>> = {
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
}

/** WASI errno; an unknown failure is an I/O error, never success. */
export const errnoOf = (thrown: unknown): number => {
  const code = thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "EIO"
  return numbers[code] ?? 29
}

export const EACCES = 2
export const EAGAIN = 6
export const EBADF = 8
export const EINVAL = 28
export const ENOENT = 44
export const ENOMEM = 48
export const ENOSYS = 52
export const EPERM = 63
export const ERANGE = 68
