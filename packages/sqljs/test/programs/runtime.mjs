/**
 * Tries the features of `@petstore/sqljs` on any runtime, and prints a line for each feature: "yes" or the reason why it fails.
 * This is plain JavaScript, because it runs where the package is installed, not where it is built.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { backup, DatabaseSync } from "@petstore/sqljs"

const self = fileURLToPath(import.meta.url)
const file = join(mkdtempSync(join(tmpdir(), "sqljs-runtime-")), "pets.db")
const rows = "CREATE TABLE IF NOT EXISTS pets (id INTEGER PRIMARY KEY, name TEXT)"

if (process.argv[2] === "hold") {
  const database = new DatabaseSync(process.argv[3])
  database.exec(`${rows}; BEGIN IMMEDIATE; INSERT INTO pets (name) VALUES ('uncommitted')`)
  process.stdout.write("held\n")
  setInterval(() => database.isOpen, 1000)
} else {
  const check = (holds) => {
    if (!holds) throw new Error("a wrong result")
  }
  const errorOf = (run) => {
    try {
      run()
      return undefined
    } catch (thrown) {
      return thrown
    }
  }
  const things = {
    "an in-memory database": () => {
      const database = new DatabaseSync(":memory:")
      database.exec(`${rows}; INSERT INTO pets VALUES (9007199254740993, 'Bello')`)
      const [pet] = database.prepare("SELECT * FROM pets", { readBigInts: true }).all()
      check(pet.id === 9007199254740993n && pet.name === "Bello")
      database.close()
    },
    "a file": () => {
      const database = new DatabaseSync(file)
      database.exec(`${rows}; INSERT INTO pets (name) VALUES ('Bello')`)
      check(database.prepare("SELECT count(*) AS pets FROM pets").get().pets === 1)
      database.close()
      check(readdirSync(dirname(file)).join() === "pets.db")
    },
    WAL: () => {
      const database = new DatabaseSync(file)
      check(database.prepare("PRAGMA journal_mode = wal").get().journal_mode === "wal")
      database.exec("INSERT INTO pets (name) VALUES ('Mia'); PRAGMA journal_mode = delete")
      database.close()
    },
    "functions and aggregates": () => {
      const database = new DatabaseSync(":memory:")
      database.function("twice", (value) => value * 2)
      database.aggregate("total_of", { start: 0, step: (sum, value) => sum + value, inverse: (sum, value) => sum - value })
      check(database.prepare("SELECT twice(21) AS answer").get().answer === 42)
      check(database.prepare("SELECT total_of(column1) AS sum FROM (VALUES (1), (2))").get().sum === 3)
      const error = new Error("mine")
      database.function("fails", () => {
        throw error
      })
      check(errorOf(() => database.prepare("SELECT fails()").get()) === error)
    },
    "sessions and backup": async () => {
      const database = new DatabaseSync(":memory:")
      database.exec(rows)
      const session = database.createSession()
      database.exec("INSERT INTO pets VALUES (1, 'Bello')")
      const other = new DatabaseSync(":memory:")
      other.exec(rows)
      check(other.applyChangeset(session.changeset()))
      check((await backup(other, join(dirname(file), "copy.db"))) > 0)
      check(new DatabaseSync(":memory:").serialize().length > 0)
    },
    "locks between processes, and after kill -9": async () => {
      const child = spawn(process.execPath, [...process.execArgv, self, "hold", file], { stdio: ["ignore", "pipe", "inherit"] })
      await new Promise((resolve, reject) => {
        child.stdout.once("data", resolve)
        child.once("exit", () => reject(new Error("the other process exited")))
      })
      const database = new DatabaseSync(file)
      check(errorOf(() => database.exec("DELETE FROM pets"))?.errcode === 5)
      const ended = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGKILL")
      await ended
      check(database.prepare("SELECT count(*) AS pets FROM pets WHERE name = 'uncommitted'").get().pets === 0)
      database.close()
    },
    "a worker thread that exits releases its lock": async () => {
      const source = `import { DatabaseSync } from ${JSON.stringify(import.meta.resolve("@petstore/sqljs"))}
        globalThis.database = new DatabaseSync(${JSON.stringify(file)})
        database.exec("BEGIN IMMEDIATE; INSERT INTO pets (name) VALUES ('uncommitted')")`
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`))
      await new Promise((resolve, reject) => {
        worker.once("error", reject)
        worker.once("exit", resolve)
      })
      const database = new DatabaseSync(file)
      database.exec("INSERT INTO pets (name) VALUES ('after')")
      check(database.prepare("SELECT count(*) AS pets FROM pets WHERE name = 'uncommitted'").get().pets === 0)
      database.close()
    },
    "a full stack": () => {
      const database = new DatabaseSync(":memory:")
      database.exec(rows)
      let calls = 0
      const descend = () => {
        try {
          descend()
        } catch {
          calls = 0
        }
        if (calls++ < 4000 && calls % 20 === 0) errorOf(() => database.exec("INSERT INTO pets (name) VALUES ('deep')"))
      }
      errorOf(descend)
      check(database.prepare("PRAGMA integrity_check").get().integrity_check === "ok")
    },
  }
  for (const [thing, run] of Object.entries(things)) {
    try {
      await run()
      process.stdout.write(`${thing}: yes\n`)
    } catch (thrown) {
      process.stdout.write(`${thing}: ${thrown instanceof Error ? thrown.message : thrown}\n`)
    }
  }
  process.exit(0)
}
