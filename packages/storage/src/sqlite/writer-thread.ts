/**
 * The thread that writes where the disk is slow. All batches that came while one transaction was under way share the
 * next one: the thread need not wait for the other to hear of the first.
 *
 * The build makes one small file of it: with every module that it names, Effect among them, a thread would start in
 * 400 ms of processor time instead of 15.
 */
import { DatabaseSync } from "node:sqlite"
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads"
import { configure } from "./engine/database.js"
import { transactionOn, type WriteCall } from "./engine/transaction.js"
import type { SharedCommit } from "./engine/writer.js"
import { sqliteWrites } from "./writes.js"

/** How long it waits for the lock of another process, in ms. Nobody else waits with it. */
const lockMillis = 250

/** Takes no more batches into a transaction that has so many writes. */
const writesEnough = 512

const connection = new DatabaseSync(workerData.path, { timeout: lockMillis })
configure(connection, "WAL")
const commit = transactionOn(connection, sqliteWrites(connection))
const port = parentPort
if (port === null) throw new Error("This is the module of a thread.")
port.postMessage("running")
port.on("message", (first: ReadonlyArray<WriteCall>) => {
  const writes = [...first]
  let batches = 1
  while (writes.length < writesEnough) {
    const next = receiveMessageOnPort(port)
    if (next === undefined) break
    writes.push(...next.message)
    batches += 1
  }
  port.postMessage({ batches, commit: commit(writes) } satisfies SharedCommit)
})
