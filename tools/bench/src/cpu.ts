/** Processor time of servers that start processes as they need them, as Linux counts it. */
import { readFileSync } from "node:fs"

/** Ticks of the clock in a second: what `/proc` counts in (`getconf CLK_TCK`, 100 on every Linux). */
const ticksPerSecond = 100

const ticksOf = (pid: number, withEnded: boolean): number => {
  try {
    const words = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? []
    // After the name: user and system time are the 12th and 13th word, those of ended children the next two.
    return words.slice(11, withEnded ? 15 : 13).reduce((sum, word) => sum + Number(word), 0)
  } catch {
    return 0
  }
}

/** Processor time that a server has used so far, in µs: its own, that of its processes, and of those that have ended. */
export const cpuMicrosOf = ([server, ...processes]: ReadonlyArray<number>): number => {
  if (server === undefined) return 0
  const ticks = processes.reduce((sum, pid) => sum + ticksOf(pid, false), ticksOf(server, true))
  return (ticks * 1e6) / ticksPerSecond
}
