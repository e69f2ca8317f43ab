/** The signals that stop a process. This module imports none of our modules, so that signals are handled from the start. */
import { constants } from "node:os"

/** Terminals send SIGINT, and other programs send SIGTERM. */
const stopSignals = ["SIGTERM", "SIGINT"] as const

type StopSignal = (typeof stopSignals)[number]

/** Ends the process as if it had no handlers. Process 1, which the kernel spares, exits with the code that a shell reports. */
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
 * Lets a signal terminate process 1 until {@link onStopSignals} is called, because nothing is in flight yet. Other processes need
 * no handler: the kernel terminates them even while the event loop is blocked.
 */
export const endOnStopSignals = (): void => {
  if (process.pid === 1) listen(stopSignals)
}

/** Calls `first` on the next stop signal, and `second` on every later one. */
export const onStopSignals = (first: () => void, second: () => void, signals: ReadonlyArray<StopSignal> = stopSignals): void => {
  answer = () => {
    answer = second
    first()
  }
  listen(signals)
}

/** How long after the signal a process that has not ended by then is killed or ends itself, in ms: shortly before the deadline. */
export const killAfterMillis = (shutdownMillis: number): number => Math.max(shutdownMillis - 250, shutdownMillis * 0.75)
