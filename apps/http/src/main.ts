/** Handles signals before the program is loaded, because the kernel delivers only handled signals to process 1 of a container. */
import { setImmediate } from "node:timers/promises"
import { endOnStopSignals } from "./process/signals.js"

endOnStopSignals()
// Each write's callback also reports EPIPE and ENOSPC. Without a listener, the `error` event would crash the process.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {})
const [, , ...words] = process.argv
// The other commands take 3 MiB and a seventh of the start, and the service needs none of them.
const run =
  words.length === 1 && words[0] === "serve"
    ? (await import("./cli/serve.js")).serve
    : (await import("./cli/command-line.js")).runCommandLine
// Handlers run when the event loop turns, and neither loading the program nor opening a store lets it turn.
await setImmediate()
await run()
