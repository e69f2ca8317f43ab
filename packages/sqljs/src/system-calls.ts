/**
 * SQLite's system calls on real files, with node:fs. SQLite's own Unix layer runs inside the WebAssembly, so SQLite controls
 * the journals, the fsyncs and their order. The names and numbers are those of Emscripten's libc: `__syscall_*` return a
 * negative WASI errno, `fd_*` a positive one.
 */
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { clockCalls } from "./clock-calls.js"
import { FileLock } from "./file-lock.js"
import { isKeptOutByNative, kernelName } from "./kernel-locks.js"
import type { Memory } from "./memory.js"
import { errno, errnoOf, failWith } from "./system-errors.js"

interface OpenFile {
  readonly path: string
  readonly identity: FileIdentity
  position: number
  /** Whether the file is WAL's shared memory, whose first bytes SQLite locks. In a database file, locks begin at PENDING_BYTE. */
  isSharedMemory: boolean
}

interface FileIdentity {
  readonly inode: bigint
  readonly descriptors: Set<number>
  lock: FileLock | undefined
  /** The file's name in /proc/locks. */
  readonly kernelName: string
  /** When other programs' locks were last read, in ms, from `performance.now()`. */
  lookedAt: number
}

/** The flags of `open`, numbered as in musl, the libc that Emscripten uses on every host, each with this host's value. */
const openFlags = [
  [0o100, fs.constants.O_CREAT],
  [0o200, fs.constants.O_EXCL],
  [0o1000, fs.constants.O_TRUNC],
  [0o2000, fs.constants.O_APPEND],
  [0o400000, fs.constants.O_NOFOLLOW],
] as const

const hostFlags = (flags: number): number =>
  openFlags.reduce((host, [theirs, ours]) => ((flags & theirs) === 0 ? host : host | ours), flags & 3)

/** musl's fcntl commands and lock kinds. */
const F_GETLK = 12
const F_SETLK = 13
const F_SETLKW = 14
const F_UNLCK = 2
const F_WRLCK = 1

/** musl's flags for calls that name a file relative to a folder. */
const AT_REMOVEDIR = 0x200
const AT_SYMLINK_NOFOLLOW = 0x100

/** Where SQLite's locks on a database file begin (PENDING_BYTE). Locks on WAL's shared memory are at lower offsets. */
const firstDatabaseLock = 0x40000000

/** A check for native programs takes 10 µs or more. It precedes every write, and a read if the last check is older than this. */
const unobservedReadingMillis = 10

/** Makes calls return `sign` times the number of the error that they throw. WebAssembly converts `undefined` to 0. */
const returningErrors = <Calls extends Readonly<Record<string, (...parameters: never[]) => unknown>>>(
  sign: 1 | -1,
  calls: Calls,
): Calls => {
  const returning = Object.entries(calls).map(([name, call]) => {
    const callOrError = (...parameters: never[]): unknown => {
      try {
        return call(...parameters)
      } catch (thrown) {
        return sign * errnoOf(thrown)
      }
    }
    return [name, callOrError]
  })
  // Safe: every function keeps its name and parameters.
  return Object.fromEntries(returning) as Calls
}

export type SystemCalls = ReturnType<typeof systemCalls>

/**
 * Both parameters are called only while SQLite is running.
 *
 * @param allocatePages allocates zeroed bytes on a 64 KiB boundary. Returns 0 on failure
 */
export const systemCalls = (memory: () => Memory, allocatePages: (length: number) => number) => {
  let refusal: string | undefined
  const files = new Map<number, OpenFile>()
  const identities = new Map<string, FileIdentity>()
  const fileOf = (descriptor: number): OpenFile => files.get(descriptor) ?? failWith("EBADF")

  /** Writes the fields that SQLite reads, which do not include times. @param inode the exact inode, since `stat` may round it */
  const writeStat = (pointer: number, stat: fs.Stats | fs.BigIntStats, inode: bigint): number => {
    const { view } = memory()
    const set = (offset: number, value: number | bigint) => view.setUint32(pointer + offset, Number(value), true)
    set(0, stat.dev)
    set(4, stat.mode)
    set(8, stat.nlink)
    set(12, stat.uid)
    set(16, stat.gid)
    set(20, stat.rdev)
    view.setBigInt64(pointer + 24, BigInt(stat.size), true)
    set(32, 4096)
    set(36, stat.blocks)
    view.setBigUint64(pointer + 88, inode, true)
    return 0
  }
  const exactly = { bigint: true, throwIfNoEntry: false } as const
  const statAt = (path: number, pointer: number, follow: boolean): number => {
    const name = memory().path(path)
    const stat = follow ? fs.statSync(name, exactly) : fs.lstatSync(name, exactly)
    return stat === undefined ? -errno.ENOENT : writeStat(pointer, stat, stat.ino)
  }

  /**
   * fcntl byte locks, reduced to whether this instance owns the file. SQLite itself separates an instance's connections, both for
   * rollback journals and for WAL's shared memory. A connection in WAL mode keeps its lock until it is closed. A WAL therefore
   * belongs to one instance, and its shared memory can be plain memory without locks.
   */
  const lock = (descriptor: number, file: OpenFile, command: number, pointer: number): number => {
    const { identity } = file
    const { view } = memory()
    const type = view.getInt16(pointer, true)
    // All of SQLite's locks are below 2^32.
    const [first, length] = [view.getUint32(pointer + 8, true), view.getUint32(pointer + 16, true)]
    const isWholeFile = first === 0 && length === 0
    if (!isWholeFile && first < firstDatabaseLock) file.isSharedMemory = true
    if (command === F_GETLK) {
      const isLocked = !file.isSharedMemory && identity.lock?.isHeldByAnother() === true
      view.setInt16(pointer, isLocked ? F_WRLCK : F_UNLCK, true)
      return 0
    }
    if (type === F_UNLCK) {
      if (isWholeFile) identity.lock?.release()
      return 0
    }
    if (file.isSharedMemory) return 0
    if (type === F_WRLCK || identity.lookedAt < performance.now() - unobservedReadingMillis) {
      identity.lookedAt = performance.now()
      const wanted = { first, last: first + length - 1, exclusive: type === F_WRLCK }
      if (isKeptOutByNative(identity.kernelName, wanted, `${file.path}-shm`)) return -errno.EAGAIN
    }
    identity.lock ??= new FileLock(file.path)
    const answer = identity.lock.acquire(descriptor, type === F_WRLCK)
    if (answer.outcome === "taken") return 0
    refusal = answer.reason
    return answer.outcome === "busy" ? -errno.EAGAIN : -errno.EPERM
  }

  const transferring =
    (move: (descriptor: number, buffer: Buffer, offset: number, length: number, position: number | null) => number) =>
    (descriptor: number, vectors: number, count: number, result: number): void => {
      const file = descriptor > 2 ? fileOf(descriptor) : files.get(descriptor)
      let total = 0
      for (let index = 0; index < count; index++) {
        const pointer = memory().int(vectors + index * 8)
        const length = memory().int(vectors + index * 8 + 4)
        const moved = move(descriptor, memory().bytes, pointer, length, file === undefined ? null : file.position)
        total += moved
        if (file !== undefined) file.position += moved
        if (moved < length) break
      }
      memory().setInt(result, total)
    }

  const wasi = returningErrors(1, {
    fd_close: (descriptor: number) => {
      const { identity } = fileOf(descriptor)
      try {
        // If V8 interrupts a close, the close runs again.
        identity.descriptors.delete(descriptor)
        if (identity.descriptors.size === 0) {
          identity.lock?.dispose()
          identities.delete(identity.kernelName)
        }
      } finally {
        fs.closeSync(descriptor)
        files.delete(descriptor)
      }
    },
    // Looked up for each call, so that a program that patches `node:fs` sees every call.
    fd_read: transferring((...move) => fs.readSync(...move)),
    fd_write: transferring((...move) => fs.writeSync(...move)),
    fd_seek: (descriptor: number, offset: bigint, whence: number, result: number) => {
      const file = fileOf(descriptor)
      const base = whence === 0 ? 0 : whence === 1 ? file.position : fs.fstatSync(descriptor).size
      file.position = base + Number(offset)
      memory().setLong(result, BigInt(file.position))
    },
    fd_sync: (descriptor: number) => fs.fsyncSync(descriptor),
    fd_fdstat_get: (descriptor: number, pointer: number) => {
      if (descriptor > 2) fileOf(descriptor)
      memory().bytes.fill(0, pointer, pointer + 24)
    },
  })
  const environment = Buffer.from(`SQLITE_TMPDIR=${tmpdir()}\0`)
  const stop = (what: string) => (): never => {
    throw new Error(`SQLite stopped: ${what}`)
  }

  const imports = {
    env: {
      __assert_fail: (condition: number) => stop(`assertion ${memory().text(condition)}`)(),
      __handle_stack_overflow: stop("stack overflow"),
      _abort_js: stop("abort"),
      warnLegacyFunction: () => 0,
      emscripten_get_heap_max: () => 0x80000000,
      emscripten_resize_heap: (size: number) => Number(memory().growTo(size >>> 0, 0x80000000)),
      ...clockCalls(memory),
      ...returningErrors(-1, {
        __syscall_openat: (_directory: number, path: number, flags: number, varargs: number) => {
          const name = memory().path(path)
          const mode = varargs === 0 ? 0 : memory().int(varargs)
          const descriptor = fs.openSync(name, hostFlags(flags), mode)
          const stat = fs.fstatSync(descriptor, { bigint: true })
          const nameInKernel = kernelName(stat.dev, stat.ino)
          const identity = identities.get(nameInKernel) ?? {
            inode: stat.ino,
            descriptors: new Set<number>(),
            lock: undefined,
            kernelName: nameInKernel,
            lookedAt: Number.NEGATIVE_INFINITY,
          }
          identity.descriptors.add(descriptor)
          identities.set(nameInKernel, identity)
          files.set(descriptor, { path: name, identity, position: 0, isSharedMemory: false })
          return descriptor
        },
        __syscall_faccessat: (_directory: number, path: number, mode: number) => fs.accessSync(memory().path(path), mode),
        __syscall_chmod: (path: number, mode: number) => fs.chmodSync(memory().path(path), mode),
        __syscall_fchmod: (descriptor: number, mode: number) => fs.fchmodSync(descriptor, mode),
        __syscall_fchown32: (descriptor: number, owner: number, group: number) => fs.fchownSync(descriptor, owner, group),
        __syscall_fcntl64: (descriptor: number, command: number, varargs: number) => {
          const file = fileOf(descriptor)
          if (command === F_GETLK || command === F_SETLK || command === F_SETLKW) {
            return lock(descriptor, file, command, memory().int(varargs))
          }
          // F_GETFD, F_SETFD and the like do nothing, because Node.js already opens files close-on-exec.
          return command <= 4 ? 0 : -errno.EINVAL
        },
        __syscall_fstat64: (descriptor: number, pointer: number) => {
          const { identity } = fileOf(descriptor)
          return writeStat(pointer, fs.fstatSync(descriptor), identity.inode)
        },
        __syscall_stat64: (path: number, pointer: number) => statAt(path, pointer, true),
        __syscall_lstat64: (path: number, pointer: number) => statAt(path, pointer, false),
        __syscall_newfstatat: (_directory: number, path: number, pointer: number, flags: number) =>
          statAt(path, pointer, (flags & AT_SYMLINK_NOFOLLOW) === 0),
        __syscall_ftruncate64: (descriptor: number, length: bigint) => fs.ftruncateSync(descriptor, Number(length)),
        __syscall_getcwd: (pointer: number, size: number) => {
          const folder = Buffer.from(`${process.cwd()}\0`)
          return folder.length > size ? failWith("ERANGE") : folder.copy(memory().bytes, pointer)
        },
        __syscall_readlinkat: (_directory: number, path: number, pointer: number, size: number) =>
          Buffer.from(fs.readlinkSync(memory().path(path))).copy(memory().bytes, pointer, 0, size),
        __syscall_mkdirat: (_directory: number, path: number, mode: number) => fs.mkdirSync(memory().path(path), mode),
        __syscall_rmdir: (path: number) => fs.rmdirSync(memory().path(path)),
        __syscall_unlinkat: (_directory: number, path: number, flags: number) => {
          const name = memory().path(path)
          if ((flags & AT_REMOVEDIR) === 0) fs.unlinkSync(name)
          else fs.rmdirSync(name)
        },
        __syscall_utimensat: (_directory: number, path: number, times: number) => {
          if (times !== 0) failWith("ENOSYS")
          const now = new Date()
          fs.utimesSync(memory().path(path), now, now)
        },
      }),
      __syscall_geteuid32: () => process.geteuid?.() ?? 0,
      // Only WAL's shared memory is mapped; see `lock` for the reason why private memory is enough.
      _mmap_js: (
        length: number,
        _protection: number,
        _flags: number,
        descriptor: number,
        _offset: bigint,
        allocated: number,
        address: number,
      ) => {
        const file = files.get(descriptor)
        if (file === undefined) return -errno.EBADF
        if (!file.isSharedMemory) return -errno.EACCES
        const pointer = allocatePages(length)
        if (pointer === 0) return -errno.ENOMEM
        memory().setInt(allocated, 1)
        memory().setInt(address, pointer)
        return 0
      },
      _munmap_js: () => 0,
    },
    wasi_snapshot_preview1: {
      ...wasi,
      environ_sizes_get: (count: number, size: number) => {
        memory().setInt(count, 1)
        memory().setInt(size, environment.length)
        return 0
      },
      environ_get: (pointers: number, text: number) => {
        memory().setInt(pointers, text)
        memory().bytes.set(environment, text)
        return 0
      },
      clock_time_get: (_clock: number, _precision: bigint, pointer: number) => {
        memory().setLong(pointer, BigInt(Date.now()) * 1_000_000n)
        return 0
      },
    },
  }
  return {
    imports,
    closeAll: () => {
      for (const descriptor of [...files.keys()]) wasi.fd_close(descriptor)
    },
    /** Returns why the latest lock was refused, and clears the reason. `undefined` if SQLite's own message is enough. */
    takeRefusal: () => {
      const reason = refusal
      refusal = undefined
      return reason
    },
  }
}
