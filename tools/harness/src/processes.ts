/** Who belongs to a process, and whether one runs, as Linux tells (proc(5)). */
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/** Processes that a process started. */
export const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** The state of a process as a letter, `undefined` if it does not exist. */
const stateOf = (pid: number): string | undefined => {
  try {
    // The first word behind the name, which stands in brackets and may contain anything.
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.[0]
  } catch {
    return undefined
  }
}

/** Whether a process runs. One that has ended may still be in the table until its parent asks. */
export const isRunning = (pid: number): boolean => /^[^ZX]/.test(stateOf(pid) ?? "Z")

/** Sends a signal to processes, in their order. One that has ended by itself is passed over. */
export const signal = (name: NodeJS.Signals, pids: ReadonlyArray<number>): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended.
    }
  }
}

/** Ends a process and all that it started at once, and waits for their end. It stops them first, so that they start no further process meanwhile. */
export const killWhole = async (pid: number): Promise<void> => {
  signal("SIGSTOP", [pid])
  while (isRunning(pid) && stateOf(pid) !== "T") await sleep(1)
  const all = [pid, ...childrenOf(pid)]
  signal("SIGKILL", all)
  while (all.some(isRunning)) await sleep(1)
}
