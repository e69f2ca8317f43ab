/**
 * Decides where transactions run. On a fast disk the main thread writes: a commit costs less than a message to another thread. On
 * a slow disk every commit would delay readers, so a separate thread writes while commits are slow.
 */
import { readFileSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { commitLatency } from "./commit-latency.js"
import type { FileIdentity, Name } from "./one-name.js"
import { type Commit, type CommitBatch, transactionOn, type WriteCall, type WriteTable } from "./transaction.js"

/** When to write on a separate thread: never, always, or while the disk is slow. */
export type WriterThread = "never" | "always" | "when-slow"

/** The arguments of a writer. */
export interface WriterOptions {
  readonly choice: WriterThread
  /** The module of its thread. */
  readonly threadFile: URL
  /** The file, which another thread opens too; a store in memory has none. */
  readonly identity: FileIdentity | undefined
  readonly name: Name
  /** Called with the number of writes of each transaction. */
  readonly onCommit: ((writes: number) => void) | undefined
}

/** Whether this program is a single executable. Bun and Deno have no `node:sea`, so it must not be imported. */
const isExecutable = (): boolean => process.getBuiltinModule("node:sea")?.isSea() === true

/** Opens the writer of a file for as long as the scope lasts. */
export const openWriter = (
  connection: DatabaseSync,
  writes: WriteTable,
  { choice, threadFile, identity, name, onCommit }: WriterOptions,
): Effect.Effect<CommitBatch, never, Scope.Scope> => {
  const onThisThread = transactionOn(connection, writes, name)
  const latency = commitLatency()
  let thread: Thread | undefined

  const observe = (result: Commit): Commit => {
    if ("outcomes" in result) {
      if (result.diskMillis !== undefined) latency.observe(result.diskMillis)
      onCommit?.(result.outcomes.length)
    }
    if (choice === "when-slow" && latency.isSlow()) start()
    return result
  }

  const start = (): void => {
    if (identity !== undefined) thread ??= startThread(threadFile, identity, observe)
  }

  const commit: CommitBatch = (batch) => {
    // Two writing threads would wait for each other.
    const isWanted = choice === "always" || latency.isSlow() || thread?.state() === "busy"
    if (!isWanted || thread === undefined || thread.state() === "ended") return observe(onThisThread(batch))
    // It starts in milliseconds, and the next commit may take seconds.
    return thread.state() === "starting" ? thread.started.then(() => commit(batch)) : thread.commit(batch)
  }

  const open = Effect.promise(async () => {
    if (choice === "always") start()
    await thread?.started
    return commit
  })
  return Effect.acquireRelease(open, () => Effect.promise(async () => thread?.stop()))
}

interface Thread {
  /** `busy`: it has unfinished work. */
  readonly state: () => "starting" | "idle" | "busy" | "ended"
  /** Resolves when it has started or failed. */
  readonly started: Promise<void>
  /** Writes batches in their order; waiting ones share a transaction. The transaction of a dead thread may have happened. */
  readonly commit: (batch: ReadonlyArray<WriteCall>) => Promise<Commit>
  readonly stop: () => Promise<void>
}

/** The outcome of a transaction of the writer thread, and its number of batches. */
export interface SharedCommit {
  readonly batches: number
  readonly commit: Commit
}

/** @param onCommit called with the outcome of each transaction */
const startThread = (file: URL, identity: FileIdentity, onCommit: (commit: Commit) => void): Thread => {
  // A thread does not see the files inside a single executable.
  const module = isExecutable() ? new URL(`data:text/javascript,${encodeURIComponent(readFileSync(file, "utf8"))}`) : file
  const worker = new Worker(module, { workerData: identity, execArgv: [] })
  let state: "starting" | "running" | "ended" = "starting"
  let isEnding = false
  let underWay: Array<{ readonly writes: number; readonly settle: (commit: Commit) => void }> = []
  let cause = new Error("The writer thread has ended.")

  /** It keeps the program running only while it starts, works or ends. */
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

  // Its first message means that it runs; every other one is the outcome of a transaction.
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
    settle({ batches: underWay.length, commit: { fault: { kind: "away", cause } } })
  })

  return {
    state: () => (state !== "running" ? state : underWay.length > 0 ? "busy" : "idle"),
    started,
    commit: (batch) =>
      new Promise<Commit>((resolve) => {
        // First, because it throws for values that cannot cross threads, which get no reply.
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
