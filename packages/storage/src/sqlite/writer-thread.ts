/** The thread that writes where the disk is slow: takes batches, commits each, answers what came of it. */
import { DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"
import { configure } from "./database.js"
import { transactionOn, type WriteCall } from "./transaction.js"

/** How long it waits for the lock of another process, in ms. Nobody else waits with it. */
const lockMillis = 250

const connection = new DatabaseSync(workerData.path, { timeout: lockMillis })
configure(connection, "WAL")
const commit = transactionOn(connection)
parentPort?.postMessage("running")
parentPort?.on("message", (batch: ReadonlyArray<WriteCall>) => parentPort?.postMessage(commit(batch)))
