/** Reads a file while only two file descriptors are available, and again when more are. */
import { closeSync, openSync, writeSync } from "node:fs"
import { DatabaseSync } from "../../dist/index.js"

const [path = ""] = process.argv.slice(2)
const count = () => `${database.prepare("SELECT count(*) AS count FROM rows").get()?.["count"]} rows`
const database = new DatabaseSync(path)
const opened: number[] = []
try {
  for (;;) opened.push(openSync("/dev/null", "r"))
} catch {
  // Frees two descriptors, for the file and for its FIFO or table; opening the next file fails.
  for (const descriptor of opened.splice(0, 2)) closeSync(descriptor)
}
try {
  writeSync(1, `${count()}\n`)
} catch {
  writeSync(1, "refused\n")
}
for (const descriptor of opened) closeSync(descriptor)
try {
  writeSync(1, `${count()}\n`)
} catch (thrown) {
  writeSync(1, `${thrown}\n`)
}
database.close()
