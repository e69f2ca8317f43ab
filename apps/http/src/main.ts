/** Handles signals before the program is loaded, because the kernel delivers only handled signals to process 1 of a container. */
import { setImmediate } from "node:timers/promises"
import { endOnStopSignals } from "./process/signals.js"

endOnStopSignals()
// Each write's callback also reports EPIPE and ENOSPC. Without a listener, the `error` event would crash the process.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {})
const { runCommandLine } = await import("./cli/command-line.js")
// Handlers run when the event loop turns, and neither loading the program nor opening a store lets it turn.
await setImmediate()
await runCommandLine()
