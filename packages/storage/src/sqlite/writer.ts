/**
 * Where transactions run. On a quick disk the main thread writes best: a commit
 * takes less than telling another thread. On a slow one every commit would keep readers
 * waiting, so a thread of its own writes for as long as commits are seen to be slow.
 */
import type { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { Effect, type Scope } from "effect"
import { diskPace } from "./disk-pace.js"
import { type Commit, type CommitBatch, transactionOn, type WriteCall } from "./transaction.js"

/** When to write on a thread of its own: never, always, or while the disk is slow. */
export type WriterThread = "never" | "always" | "when-slow"

/** Opens the writer of a file for as long as the scope lasts. `onCommit` sees how many writes each transaction held. */
export const openWriter = (
  connection: DatabaseSync,
  path: string,
  choice: WriterThread,
  onCommit?: (writes: number) => void,
): Effect.Effect<CommitBatch, never, Scope.Scope> => {
  const onThisThread = transactionOn(connection)
  const pace = diskPace()
  let thread: Thread | undefined

  const observe = (result: Commit): Commit => {
    if ("outcomes" in result) {
      pace.observe(result.diskMillis)
      onCommit?.(result.outcomes.length)
    }
    if (choice === "when-slow" && pace.isSlow()) thread ??= startThread(path)
    return result
  }

  const commit: CommitBatch = (batch) => {
    const isWanted = choice === "always" || pace.isSlow()
    // A thread that does not run yet, or no more, leaves the work to this one.
    return isWanted && thread?.isRunning() === true ? thread.commit(batch).then(observe) : observe(onThisThread(batch))
  }

  const open = Effect.promise(async () => {
    if (choice === "always") {
      thread = startThread(path)
      await thread.started
    }
    return commit
  })
  return Effect.acquireRelease(open, () => Effect.promise(async () => thread?.stop()))
}

interface Thread {
  /** Whether it has opened the file and has not ended. */
  readonly isRunning: () => boolean
  /** Resolves when it runs, or has failed to. */
  readonly started: Promise<void>
  /** Writes one batch at a time. What a thread was writing when it died may have happened. */
  readonly commit: (batch: ReadonlyArray<WriteCall>) => Promise<Commit>
  readonly stop: () => Promise<void>
}

const startThread = (path: string): Thread => {
  const worker = new Worker(new URL("./writer-thread.js", import.meta.url), { workerData: { path }, execArgv: [] })
  let isRunning = false
  let isEnding = false
  let settle: ((commit: Commit) => void) | undefined
  let cause = new Error("The writer thread has ended.")

  /** It keeps the program running while it starts, works and ends, and at no other time. */
  const rest = (): void => {
    if (!isEnding) worker.unref()
  }

  // Its first message says that it runs, every other one what came of a batch.
  const started = new Promise<void>((resolve) => {
    worker.once("message", () => {
      isRunning = true
      worker.on("message", (commit: Commit) => settle?.(commit))
      rest()
      resolve()
    })
    worker.once("exit", () => resolve())
  })
  worker.on("error", (thrown) => {
    if (thrown instanceof Error) cause = thrown
  })
  worker.on("exit", () => {
    isRunning = false
    settle?.({ fault: { kind: "away", cause } })
  })

  return {
    isRunning: () => isRunning,
    started,
    commit: (batch) =>
      new Promise<Commit>((resolve) => {
        settle = resolve
        worker.ref()
        worker.postMessage(batch)
      }).finally(rest),
    stop: async () => {
      isEnding = true
      await worker.terminate()
    },
  }
}
