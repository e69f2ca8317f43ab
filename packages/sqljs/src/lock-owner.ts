/** Who holds a lock: how an owner names itself, and whether another still lives. */
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { closeSync, constants, openSync, readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

/** Who holds a lock, as written into it. */
export interface Owner {
  readonly token: string
  readonly pid: number
  /** Start of the process in clock ticks since boot (field 22 of /proc/PID/stat); "" where there is no /proc. */
  readonly started: string
  readonly boot: string
  readonly pidNamespace: string
  readonly host: string
  /** A FIFO the owner keeps open for reading, where its process id may say nothing to others; "" if there is none. */
  readonly alive: string
}

const orEmpty = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ""
  }
}

const startOf = (pid: number): string =>
  orEmpty(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The command name before the last ")" may hold spaces; the start time is the 20th field after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
  })

export const failedWith = (thrown: unknown, code: string) => thrown instanceof Error && "code" in thrown && thrown.code === code

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return failedWith(thrown, "EPERM")
  }
}

let known: Omit<Owner, "alive"> | undefined
export const ourselves = (): Omit<Owner, "alive"> => {
  known ??= {
    token: randomBytes(8).toString("hex"),
    pid: process.pid,
    started: startOf(process.pid),
    boot: orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()),
    pidNamespace: orEmpty(() => readlinkSync("/proc/self/ns/pid")),
    host: hostname(),
  }
  return known
}

/** The namespace of process ids in which Linux starts (PROC_PID_INIT_INO). Inside a container it is another. */
export const initialNamespace = "pid:[4026531836]"

/**
 * Opens a FIFO that tells others that this process lives: the system closes
 * it with the process, and whoever opens it for writing sees whether anybody
 * reads. Node.js cannot make one, so `mkfifo` does. Without it the answer is
 * `undefined`, and a lock left behind must be removed by hand.
 */
export const openSignOfLife = (path: string): number | undefined => {
  const made = spawnSync("mkfifo", [path], { stdio: "ignore" })
  return made.status === 0 ? openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) : undefined
}

const isRead = (fifo: string): boolean => {
  try {
    closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch (thrown) {
    return !failedWith(thrown, "ENXIO")
  }
}

const isOwner = (value: unknown): value is Owner =>
  typeof value === "object" &&
  value !== null &&
  "token" in value &&
  typeof value.token === "string" &&
  "pid" in value &&
  typeof value.pid === "number"

/**
 * Whether the owner may still be running. What cannot be known counts as
 * running: a lock taken over wrongly destroys the file.
 */
export const mayRun = (owner: Owner): boolean => {
  const us = ourselves()
  if (owner.boot !== us.boot) return owner.host !== us.host
  if (owner.pidNamespace !== us.pidNamespace) return typeof owner.alive !== "string" || owner.alive === "" || isRead(owner.alive)
  return owner.started === "" ? isRunning(owner.pid) : startOf(owner.pid) === owner.started
}

/**
 * The owner named in a lock. `undefined`: the lock is gone. `"lost"`: its
 * content is not an owner, which only a power cut leaves, because an owner
 * is written in full before it is linked.
 */
export const ownerOf = (path: string): Owner | "lost" | undefined => {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch {
    return undefined
  }
  try {
    const value: unknown = JSON.parse(text)
    return isOwner(value) ? value : "lost"
  } catch {
    return "lost"
  }
}

const warned = new Set<string>()
export const warnAboutStranger = (path: string, owner: Owner) => {
  const isVisible = owner.pidNamespace === ourselves().pidNamespace || (typeof owner.alive === "string" && owner.alive !== "")
  if (owner.boot === ourselves().boot && isVisible) return
  if (warned.has(path)) return
  warned.add(path)
  process.emitWarning(
    `${path} is held by process ${owner.pid} of host ${owner.host}, whose life cannot be seen from here. If that process is gone, remove the file.`,
    "SqljsLockWarning",
  )
}
