/** The CPU time of servers that start processes on demand, as counted by Linux. */
import { readFileSync } from "node:fs"

/** Clock ticks per second, the unit in `/proc` (`getconf CLK_TCK`, 100 on every Linux). */
const ticksPerSecond = 100

const ticksOf = (pid: number, withEnded: boolean): number => {
  try {
    const words = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? []
    // After the name, user and system time are the 12th and 13th words. The next two are the times of exited children.
    return words.slice(11, withEnded ? 15 : 13).reduce((sum, word) => sum + Number(word), 0)
  } catch {
    return 0
  }
}

/** The CPU time that a server has used so far, in µs, including its running and exited child processes. */
export const cpuMicrosOf = ([server, ...processes]: ReadonlyArray<number>): number => {
  if (server === undefined) return 0
  const ticks = processes.reduce((sum, pid) => sum + ticksOf(pid, false), ticksOf(server, true))
  return (ticks * 1e6) / ticksPerSecond
}
