/**
 * The thread that writes on slow disks. The batches that arrive during a transaction share the next one.
 *
 * The build bundles this module into one small file. With all imported modules, including Effect, starting the thread would take
 * 400 ms of processor time instead of 15 ms.
 */
import { DatabaseSync } from "node:sqlite"
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads"
import { configure } from "./engine/database.js"
import { type FileIdentity, watchName } from "./engine/one-name.js"
import { transactionOn, type WriteCall } from "./engine/transaction.js"
import { askAgainMillis, gapEveryMillis, gapMillis } from "./engine/waiting.js"
import type { SharedCommit } from "./engine/writer.js"
import { sqliteWrites } from "./writes.js"

/** How long to wait for the lock before reporting that it is taken, in ms. Requests that have waited too long then fail. */
const lockMillis = 250

/** No further batches are added to a transaction with this number of writes. */
const writesEnough = 512

// Safe: `writer.ts` starts this thread with the file's identity.
const identity = workerData as FileIdentity
const connection = new DatabaseSync(identity.name, { timeout: lockMillis })
configure(connection, "WAL")
connection.exec("PRAGMA busy_timeout = 0")
const transaction = transactionOn(connection, sqliteWrites(connection), watchName(DatabaseSync, connection, identity))
const port = parentPort
if (port === null) throw new Error("This module must run in a worker thread.")
port.postMessage("running")

const take = (): ReadonlyArray<WriteCall> | undefined => receiveMessageOnPort(port)?.message

const bell = new Int32Array(new SharedArrayBuffer(4))
const pause = (millis: number): void => void Atomics.wait(bell, 0, 0, millis)

/** When this thread last left a gap for other writers, and when it last became idle. */
let writingSince = performance.now()
let idleSince = writingSince

port.on("message", (arrived: ReadonlyArray<WriteCall>) => {
  if (performance.now() - idleSince >= gapMillis) writingSince = performance.now()
  for (let first: typeof arrived | undefined = arrived; first !== undefined; first = take()) {
    if (performance.now() - writingSince >= gapEveryMillis) {
      pause(gapMillis)
      writingSince = performance.now()
    }
    const writes = [...first]
    let batches = 1
    while (writes.length < writesEnough) {
      const next = take()
      if (next === undefined) break
      writes.push(...next)
      batches += 1
    }
    const tooLate = performance.now() + lockMillis
    let commit = transaction(writes)
    while ("fault" in commit && commit.fault.kind === "busy" && performance.now() < tooLate) {
      pause(askAgainMillis)
      commit = transaction(writes)
    }
    port.postMessage({ batches, commit } satisfies SharedCommit)
  }
  idleSince = performance.now()
})
