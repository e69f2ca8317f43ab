/** The signals with which an operator stops a process. Loads nothing, so that they are heard from the first moment on. */
import { constants } from "node:os"

/** A terminal sends SIGINT, everything else SIGTERM. */
const stopSignals = ["SIGTERM", "SIGINT"] as const

type StopSignal = (typeof stopSignals)[number]

/** Ends as a process without handlers would. The kernel spares process 1, whose parent then reads what a shell would report. */
const endAtOnce = (signal: StopSignal): void => {
  process.removeAllListeners(signal)
  if (process.pid === 1) process.exit(128 + constants.signals[signal])
  process.kill(process.pid, signal)
}

let answer: (signal: StopSignal) => void = endAtOnce

/** Hears the signals from now on. Until {@link onStopSignals} is called, one ends the process at once: nothing is in flight yet. */
export const hearStopSignals = (): void => {
  for (const signal of stopSignals) process.on(signal, () => answer(signal))
}

/** Calls `first` at the next signal to stop, and `second` at every later one. */
export const onStopSignals = (first: () => void, second: () => void): void => {
  answer = () => {
    answer = second
    first()
  }
}
