/**
 * Calls flock(2) and mkfifo(3), for which Node.js has no function. In Node.js 26.1 and later, `node:ffi` calls these functions
 * in the C library. Where `node:ffi` is missing or not permitted, this module runs the programs `sh`, `mkfifo` and `flock`
 * (util-linux or BusyBox), which takes milliseconds: a fork of Node.js takes longest, so one shell runs what belongs together.
 */
import { type StdioOptions, spawnSync } from "node:child_process"
import { constants } from "node:os"
import { getSystemErrorMessage } from "node:util"
import { codeOf, messageOf } from "./system-errors.js"

export interface Failure {
  readonly failure: string
}

/** The part of `node:ffi` that is used here. The Node.js 24 types lack this module. */
interface ForeignFunctions {
  readonly dlopen: (path: null) => {
    readonly lib: {
      getFunction<Parameters extends unknown[], Result>(
        name: string,
        signature: { readonly arguments: readonly string[]; readonly return: string },
      ): (...parameters: Parameters) => Result
    }
  }
  readonly getInt32: (pointer: bigint) => number
}

/** Returns flock(2) and mkfifo(3) as functions that return 0 or an errno; `undefined` if they cannot be called. */
const openLibrary = () => {
  const { emitWarning } = process
  try {
    // Suppresses Node's warning that the module is experimental, because users of this package cannot do anything about it.
    process.emitWarning = () => undefined
    const module: object | undefined = process.getBuiltinModule("node:ffi")
    // If the module is missing or has changed, the next lines throw, and the programs are used.
    const { dlopen, getInt32 } = module as ForeignFunctions
    const { lib } = dlopen(null)
    const flock = lib.getFunction<[number, number], number>("flock", { arguments: ["int32", "int32"], return: "int32" })
    const mkfifo = lib.getFunction<[string, number], number>("mkfifo", { arguments: ["string", "uint32"], return: "int32" })
    const errnoLocation = process.platform === "darwin" ? "__error" : "__errno_location"
    // The address of this thread's errno; this code runs only in this thread.
    const errno = lib.getFunction<[], bigint>(errnoLocation, { arguments: [], return: "pointer" })()
    const errnoOf = (result: number) => (result === 0 ? 0 : getInt32(errno))
    return {
      flock: (descriptor: number, operation: number) => errnoOf(flock(descriptor, operation)),
      mkfifo: (path: string) => errnoOf(mkfifo(path, 0o666)),
    }
  } catch {
    return undefined
  } finally {
    process.emitWarning = emitWarning
  }
}

let library: { readonly functions: ReturnType<typeof openLibrary> } | undefined
const libraryFunctions = () => {
  library ??= { functions: openLibrary() }
  return library.functions
}

const failureOf = (name: string, errno: number): Failure => ({ failure: `${name}: ${getSystemErrorMessage(-errno)}` })

/** Codes of temporary shortages: descriptors, processes or memory. */
const passing = new Set(["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"])

/** The status with which a shell exits if it does not find a program. */
const notFound = 127

const start = (program: string, parameters: readonly string[], descriptor: number, errors: "ignore" | "pipe") => {
  const stdio: StdioOptions = ["ignore", "ignore", errors, descriptor]
  const result = spawnSync(program, parameters, { stdio, encoding: "utf8" })
  if (result.error !== undefined) throw result.error
  return result
}

/**
 * Status 0 means done, and 1 that a lock was not free. For any other status, runs the program again to get its error message,
 * because a pipe for messages takes time. Throws if no more processes can currently be started.
 *
 * @param descriptor descriptor 3 of the program
 */
const run = (program: string, parameters: readonly string[], descriptor: number) => {
  try {
    const { status } = start(program, parameters, descriptor, "ignore")
    if (status === 0 || status === 1 || status === notFound) return { status, failure: "" }
    const again = start(program, parameters, descriptor, "pipe")
    return { status: again.status, failure: again.stderr.trim() || `${program} exited with ${again.status ?? "a signal"}` }
  } catch (thrown) {
    // Node's permission model throws instead of returning an error.
    if (passing.has(codeOf(thrown) ?? "")) throw thrown
    return { status: codeOf(thrown) === "ENOENT" ? notFound : null, failure: messageOf(thrown) }
  }
}

/** LOCK_SH, LOCK_EX and LOCK_NB on Linux and macOS. */
const operations = { shared: 1 | 4, alone: 2 | 4 } as const

/** `proof` is `alone` and then `shared`: no other lock existed, and from then on no other process can get this proof. */
export type LockKind = keyof typeof operations | "proof"

/** Without a locale, the programs start faster. */
const withoutLocale = "export LC_ALL=C"

const proof = `${withoutLocale}; flock -xn 3 && flock -sn 3`

/**
 * Makes the FIFO and takes the shared lock at the same time, because programs take long to start. Both come after the exclusive
 * lock: from then on no other owner joins, so none removes the FIFO as that of a dead owner before this process opens it.
 */
const fifoAndProof = `${withoutLocale}
  flock -xn 3 2> /dev/null; alone=$?
  mkfifo -- "$1" &
  [ $alone = 0 ] && flock -sn 3 2> /dev/null; proof=$?
  wait $! || exit 2
  [ $proof = 0 ]`

/**
 * Locks the open file of `descriptor` with flock(2). Returns "missing" if flock is unavailable. The lock belongs to the
 * descriptor, which the `flock` program shares with this process. The lock is released when the descriptor is closed or the
 * process exits. Node.js opens files close-on-exec, so no other child process inherits the lock.
 */
export const flock = (descriptor: number, kind: LockKind): "locked" | "busy" | "missing" | Failure => {
  const functions = libraryFunctions()
  if (functions !== undefined) {
    for (const step of kind === "proof" ? (["alone", "shared"] as const) : [kind]) {
      const errno = functions.flock(descriptor, operations[step])
      if (errno !== 0) return errno === constants.errno.EWOULDBLOCK ? "busy" : failureOf("flock", errno)
    }
    return "locked"
  }
  const { status, failure } =
    kind === "proof"
      ? run("sh", ["-c", proof], descriptor)
      : run("flock", [kind === "alone" ? "-x" : "-s", "-n", "3"], descriptor)
  if (status === notFound) return "missing"
  return status === 0 ? "locked" : status === 1 ? "busy" : { failure }
}

/**
 * Creates a FIFO. If that takes a program, the same shell tries to lock the open file of `descriptor`, because it costs less than
 * another fork. Returns whether it got a `proof`.
 */
export const makeFifo = (path: string, descriptor: number): boolean => {
  const functions = libraryFunctions()
  if (functions !== undefined) {
    const errno = functions.mkfifo(path)
    if (errno !== 0) throw new Error(failureOf("mkfifo", errno).failure)
    return false
  }
  const { status, failure } = run("sh", ["-c", fifoAndProof, "sh", path], descriptor)
  if (status !== 0 && status !== 1) throw new Error(failure)
  return status === 0
}
