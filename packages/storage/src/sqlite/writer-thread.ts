/**
 * The thread that writes where the disk is slow: takes batches, commits each, answers what came of it.
 *
 * The build makes one small file of it: with every module that it names, Effect among them, a thread would start in
 * 400 ms of processor time instead of 15.
 */
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
