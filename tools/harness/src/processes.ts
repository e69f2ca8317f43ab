/** Finds a process's children, checks whether a process is running (proc(5) of Linux), and signals processes. */
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

export const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number)
  } catch {
    return [] // The process does not exist.
  }
}

/** A process's state as a letter, or `undefined` if it does not exist. */
const stateOf = (pid: number): string | undefined => {
  try {
    // The state is the first word after the name, which is in parentheses and can contain anything.
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.[0]
  } catch {
    return undefined
  }
}

/** Whether a process is running. An exited process can stay in the table until its parent reaps it. */
export const isRunning = (pid: number): boolean => /^[^ZX]/.test(stateOf(pid) ?? "Z")

/** Sends a signal to processes, in the given order. Ignores processes that have exited. */
export const signal = (name: NodeJS.Signals, pids: ReadonlyArray<number>): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // The process has exited.
    }
  }
}

/** Suspends a process, and waits until it does no more. */
export const suspend = async (pid: number): Promise<void> => {
  signal("SIGSTOP", [pid])
  while (isRunning(pid) && stateOf(pid) !== "T") await sleep(1)
}

/** Kills a process and its children, and waits for their exit. Suspends it first, so that it cannot start more children. */
export const killWhole = async (pid: number): Promise<void> => {
  await suspend(pid)
  const all = [pid, ...childrenOf(pid)]
  signal("SIGKILL", all)
  while (all.some(isRunning)) await sleep(1)
}
