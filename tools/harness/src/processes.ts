/** Who belongs to a process. */
import { readdirSync, readFileSync } from "node:fs"

/** Processes that a process started, as Linux tells. */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        // The parent is the second word behind the name, which stands in brackets and may contain anything.
        return Number(readFileSync(`/proc/${name}/stat`, "latin1").split(") ").at(-1)?.split(" ")[1]) === pid
      } catch {
        return false
      }
    })
    .map(Number)
