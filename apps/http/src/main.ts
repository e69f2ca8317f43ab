/**
 * The entry of the `petstore` command. It hears signals before the program is loaded: to process 1 of a container the
 * kernel delivers only those that a handler waits for.
 */
import { hearStopSignals } from "./process/signals.js"

hearStopSignals()
const { runCommandLine } = await import("./cli/command-line.js")
await runCommandLine()
