/** Holds a transaction open, starts a child process that outlives it, and prints the child's process id. */
import { spawn } from "node:child_process"
import { writeSync } from "node:fs"
import { DatabaseSync } from "../../dist/index.js"

const [path = ""] = process.argv.slice(2)
const database = new DatabaseSync(path)
database.exec("BEGIN IMMEDIATE; INSERT INTO rows (writer) VALUES ('parent')")
const child = spawn("sleep", ["60"], { stdio: "ignore", detached: true })
child.unref()
writeSync(1, `${child.pid}\n`)
setInterval(() => database.isOpen, 1000)
