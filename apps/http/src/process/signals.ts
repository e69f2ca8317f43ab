/** The signals with which an operator stops a process. */
import { Effect } from "effect"

/** A terminal sends SIGINT, everything else SIGTERM. */
const stopSignals = ["SIGTERM", "SIGINT"] as const

/** Calls `first` at the first signal to stop, and `second` at every later one. */
export const onStopSignals = (first: () => void, second: () => void): void => {
  let told = false
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (told) second()
      told = true
      first()
    })
  }
}

/** Ends with the first signal to stop; the second one stops the process at once. */
export const untilToldToStop: Effect.Effect<void> = Effect.async((resume) => {
  onStopSignals(
    () => resume(Effect.void),
    () => process.exit(1),
  )
})
