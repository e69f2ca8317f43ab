/** Who belongs to a process, and whether one runs, as Linux tells (proc(5)). */
import { readFileSync } from "node:fs"

/** Processes that a process started. */
export const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** Whether a process runs. One that has ended may still be in the table until its parent asks. */
export const isRunning = (pid: number): boolean => {
  try {
    // The state is the first word behind the name, which stands in brackets and may contain anything.
    return !/^[ZX]/.test(readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1) ?? "Z")
  } catch {
    return false
  }
}
