/**
 * The entry of the `petstore` command. It hears signals before the program is loaded: to process 1 of a container the
 * kernel delivers only those that a handler waits for.
 */
import { endOnStopSignals } from "./process/signals.js"

endOnStopSignals()
// The callback of each write gets EPIPE and ENOSPC too. Without a listener the event would crash the process.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {})
const { runCommandLine } = await import("./cli/command-line.js")
await runCommandLine()
