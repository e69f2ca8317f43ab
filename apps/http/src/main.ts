/**
 * The entry of the `petstore` command. It hears signals before the program is loaded: to process 1 of a container the
 * kernel delivers only those that a handler waits for.
 */
import { endOnStopSignals } from "./process/signals.js"

endOnStopSignals()
// A reader that has gone and a full disk are told to whoever writes. Without somebody who hears of them, each would end the process.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {})
const { runCommandLine } = await import("./cli/command-line.js")
await runCommandLine()
