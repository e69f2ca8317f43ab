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

const listen = (signals: ReadonlyArray<StopSignal>): void => {
  for (const signal of signals) process.removeAllListeners(signal).on(signal, () => answer(signal))
}

/**
 * Lets a signal end process 1 from now on, until {@link onStopSignals} is called: nothing is in flight yet. It ends
 * every other process without our help, also in the middle of work that does not return to the event loop.
 */
export const endOnStopSignals = (): void => {
  if (process.pid === 1) listen(stopSignals)
}

/** Calls `first` at the next signal to stop, and `second` at every later one. */
export const onStopSignals = (first: () => void, second: () => void, signals: ReadonlyArray<StopSignal> = stopSignals): void => {
  answer = () => {
    answer = second
    first()
  }
  listen(signals)
}
