/** The thread that writes while the disk is slow, as the main thread sees it. The thread runs `writer-thread.ts`. */
import { readFileSync } from "node:fs"
import { Worker } from "node:worker_threads"
import type { FileIdentity } from "./one-name.js"
import type { Commit, WriteCall } from "./transaction.js"

/** Whether this program is a single executable. Bun and Deno have no `node:sea`, so a static import would fail. */
const isExecutable = (): boolean => process.getBuiltinModule("node:sea")?.isSea() === true

/** The outcome of a writer thread's transaction, and the number of batches in it. */
export interface SharedCommit {
  readonly batches: number
  readonly commit: Commit
}

/** @param onCommit called once for each of the thread's transactions, before their batches are resolved */
export const startWriter = (file: URL, identity: FileIdentity, onCommit: (commit: Commit) => void) => {
  // A thread cannot load files from inside a single executable.
  const module = isExecutable() ? new URL(`data:text/javascript,${encodeURIComponent(readFileSync(file, "utf8"))}`) : file
  const worker = new Worker(module, { workerData: identity, execArgv: [] })
  let state: "starting" | "running" | "ended" = "starting"
  let isEnding = false
  let underWay: Array<{ readonly writes: number; readonly settle: (commit: Commit) => void }> = []
  let cause = new Error("The writer thread has exited.")

  /** The thread keeps the program running only while the thread is starting, working or stopping. */
  const rest = (): void => {
    if (!isEnding && underWay.length === 0) worker.unref()
  }

  const settle = ({ batches, commit }: SharedCommit): void => {
    const settled = underWay.slice(0, batches)
    underWay = underWay.slice(batches)
    rest()
    onCommit(commit)
    let from = 0
    for (const { writes, settle } of settled) {
      settle("fault" in commit ? commit : { ...commit, outcomes: commit.outcomes.slice(from, from + writes) })
      from += writes
    }
  }

  // The first message means that the thread is running; every later message is a transaction's outcome.
  const started = new Promise<void>((resolve) => {
    worker.once("message", () => {
      state = "running"
      worker.on("message", settle)
      rest()
      resolve()
    })
    worker.once("exit", () => resolve())
  })
  worker.on("error", (thrown) => {
    if (thrown instanceof Error) cause = thrown
  })
  worker.on("exit", () => {
    state = "ended"
    settle({ batches: underWay.length, commit: { fault: { kind: "unavailable", cause } } })
  })

  return {
    /** `busy`: the thread has unfinished work. */
    state: () => (state !== "running" ? state : underWay.length > 0 ? "busy" : "idle"),
    /** Resolves when the thread has started or failed. */
    started,
    /** Writes batches in order; waiting batches share a transaction. If the thread dies, its transaction may have happened. */
    commit: (batch: ReadonlyArray<WriteCall>) =>
      new Promise<Commit>((resolve) => {
        // First, because `postMessage` throws for values that cannot cross threads, and such a batch gets no reply.
        worker.postMessage(batch)
        underWay.push({ writes: batch.length, settle: resolve })
        worker.ref()
      }),
    stop: async () => {
      isEnding = true
      await worker.terminate()
    },
  }
}
