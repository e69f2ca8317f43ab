/**
 * Runs random histories of two or three processes on one file, with kills, in separate namespaces. Every history runs twice: with
 * this package and with node:sqlite. Every step's result, and the rows at the end, must be the same. One difference is intended:
 * a process gets SQLITE_BUSY while another process is in a transaction or reads. The native run then skips the step.
 *
 * Arguments: the first seed, and the number of histories or a number of seconds with the suffix "s". The program prints the
 * number of histories and steps. At the first difference, it prints the difference and exits with code 1.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { randomFrom } from "../random.ts"
import type { Command, Reply } from "./obedient.ts"
import { withPrograms } from "./run-program.ts"

const program = fileURLToPath(new URL("obedient.ts", import.meta.url))
const SQLITE_BUSY = 5

/** The commands that start a process. `unshare` needs root. */
const wrappers: readonly (readonly string[])[] =
  process.getuid?.() === 0
    ? [
        [],
        withPrograms,
        ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--uts"],
        ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"],
        ["unshare", "--mount", "sh", "-c", 'umount -l /proc; exec "$@"', "sh"],
      ]
    : [[], withPrograms]

class Obedient {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  #complaints = ""
  /** Each connection's state: whether it is open, in a transaction, or has an iterator. */
  readonly isOpen = [false, false]
  transactions: readonly boolean[] = [false, false]
  readonly isIterating = [false, false]

  constructor(engine: string, path: string, wrapper: readonly string[]) {
    const [command = "", ...given] = [
      ...wrapper,
      process.execPath,
      "--disable-warning=ExperimentalWarning",
      program,
      engine,
      path,
    ]
    this.#child = spawn(command, given, { stdio: ["pipe", "pipe", "pipe"] })
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#complaints += chunk.toString()
    })
    this.#child.stdin?.on("error", () => undefined)
    if (this.#child.stdout === null) throw new Error("The program has no standard output.")
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  tell(command: Command): void {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`)
  }

  async ask(command: Command): Promise<Reply> {
    this.tell(command)
    const { value } = await this.#lines.next()
    if (value === undefined) throw new Error(`The process exited: ${this.#complaints}`)
    const reply: Reply = JSON.parse(value)
    this.transactions = reply.transactions
    const { connection, method } = command
    if (method === "open" && reply.errcode === 0) this.isOpen[connection] = true
    if (method === "close" && reply.errcode === 0) this.isOpen[connection] = false
    if (method === "start") this.isIterating[connection] = true
    if (method === "end" || method === "close") this.isIterating[connection] = false
    return reply
  }

  /** Whether this process may hold a lock that excludes other processes. */
  mayHold(journal: string): boolean {
    return (
      this.transactions.includes(true) || this.isIterating.includes(true) || (journal === "wal" && this.isOpen.includes(true))
    )
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, "close")
    this.#child.kill("SIGKILL")
    await ended
  }
}

type Statement = readonly [Command["method"], string]

const statements: readonly [Statement, ...Statement[]] = [
  ["exec", "BEGIN"],
  ["exec", "BEGIN IMMEDIATE"],
  ["exec", "BEGIN EXCLUSIVE"],
  ["exec", "COMMIT"],
  ["exec", "COMMIT"],
  ["exec", "ROLLBACK"],
  ["exec", "SAVEPOINT s"],
  ["exec", "RELEASE s"],
  ["exec", "ROLLBACK TO s"],
  ["get", "SELECT count(*), sum(n), max(id) FROM t"],
  ["all", "SELECT id, n FROM t ORDER BY id DESC LIMIT 3"],
  ["run", "INSERT INTO t (n, filling) VALUES (1, zeroblob(900))"],
  ["run", "INSERT INTO t (n, filling) SELECT n + 1, zeroblob(2000) FROM t LIMIT 40"],
  ["get", "INSERT INTO t (n) VALUES (2) RETURNING id, n"],
  ["all", "UPDATE t SET n = n + 1 WHERE id % 3 = 0 RETURNING id"],
  ["run", "DELETE FROM t WHERE id % 5 = 1"],
  ["run", "INSERT INTO c (parent) VALUES (99999)"],
  ["get", "INSERT INTO c (parent) VALUES (99999) RETURNING parent"],
  ["run", "INSERT INTO t (id, n) VALUES (1, 1)"],
  ["exec", "CREATE TABLE IF NOT EXISTS extra (a)"],
  ["exec", "DROP TABLE IF EXISTS extra"],
  ["get", "SELECT count(*) FROM extra"],
  ["start", "SELECT id FROM t ORDER BY id"],
  ["next", ""],
  ["end", ""],
  ["end", ""],
  ["close", ""],
  ["exec", "VACUUM"],
]

const schema = `
  CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, filling BLOB);
  CREATE TABLE c (parent REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED);
  INSERT INTO t (n) VALUES (1), (2), (3)`

const fingerprint = {
  connection: 0,
  method: "get",
  sql: "SELECT count(*), sum(n), max(id), total(length(filling)) FROM t",
} as const

class Difference extends Error {}

/** Runs one history. Returns the number of steps. Throws `Difference` if the two runs differ. */
const run = async (seed: number): Promise<number> => {
  const { next, pick } = randomFrom(seed)
  const folder = mkdtempSync(join(tmpdir(), "sqljs-history-"))
  const files = { ours: join(folder, "ours.db"), native: join(folder, "native.db") }
  const journal = pick(["delete", "delete", "truncate", "persist", "wal"])
  for (const path of Object.values(files)) {
    const database = new DatabaseSync(path)
    database.exec(`PRAGMA journal_mode = ${journal}; ${schema}`)
    database.close()
  }
  const story: string[] = [`seed ${seed}, journal_mode ${journal}`]
  const start = () => {
    const wrapper = wrappers[next(wrappers.length)] ?? []
    return { ours: new Obedient("ours", files.ours, wrapper), native: new Obedient("native", files.native, []) }
  }
  const pairs = Array.from({ length: 2 + next(2) }, start)

  const differ = (why: string): never => {
    throw new Difference(`${why}\n${story.join("\n")}`)
  }
  /** Runs a command with this package and, unless another process locks it out, with node:sqlite. Returns whether both ran. */
  const both = async (index: number, command: Command): Promise<boolean> => {
    const pair = pairs[index]
    if (pair === undefined) return false
    const mine = await pair.ours.ask(command)
    story.push(`process ${index}, connection ${command.connection}: ${command.method} ${command.sql} → ${mine.outcome}`)
    // If SQLite cannot check for a newer schema because the file is locked, it reports that the table does not exist.
    const isRefused = mine.errcode === SQLITE_BUSY || mine.outcome.startsWith("1 no such table")
    if (isRefused && pairs.some((other) => other !== pair && other.ours.mayHold(journal))) {
      // A refused iterator stays active, as in SQLite: end it. A refused VACUUM has discarded the schema: close the connection.
      const method = command.method === "start" ? "end" : command.sql === "VACUUM" ? "close" : undefined
      if (method !== undefined) {
        const undo = { connection: command.connection, method, sql: "" } as const
        await Promise.all([pair.ours.ask(undo), pair.native.ask(undo)])
      }
      return false
    }
    const theirs = await pair.native.ask(command)
    if (mine.outcome !== theirs.outcome) differ(`native: ${theirs.outcome}`)
    if (mine.transactions.join() !== theirs.transactions.join()) differ(`native is in transactions ${theirs.transactions}`)
    return true
  }
  const open = async (index: number, connection: 0 | 1) => {
    await both(index, { connection, method: "open", sql: "" })
    await both(index, { connection, method: "exec", sql: "PRAGMA cache_size = 5" })
    await both(index, { connection, method: "exec", sql: "PRAGMA synchronous = OFF" })
  }
  const replace = async (index: number) => {
    pairs[index] = start()
    for (const connection of [0, 1] as const) await open(index, connection)
  }
  /** Kills a process, sometimes while it commits. The native process then commits only if ours did. */
  const kill = async (index: number) => {
    const pair = pairs[index]
    if (pair === undefined) return
    const [only] =
      pair.ours.transactions[0] === true && !pair.ours.transactions[1] && !pair.ours.isIterating.includes(true)
        ? [0 as const]
        : []
    const isAlone = !pairs.some((other) => other !== pair && other.ours.mayHold(journal))
    if (only === undefined || !isAlone || next(2) === 0) {
      story.push(`process ${index} is killed`)
      await Promise.all([pair.ours.kill(), pair.native.kill()])
      return replace(index)
    }
    const committed = (await pair.native.ask(fingerprint)).outcome
    story.push(`process ${index} is killed while it commits`)
    pair.ours.tell({ connection: only, method: "exec", sql: "COMMIT" })
    await setTimeout(next(4))
    await pair.ours.kill()
    const reader = new Obedient("ours", files.ours, [])
    await reader.ask({ connection: 0, method: "open", sql: "" })
    const found = (await reader.ask(fingerprint)).outcome
    await reader.kill()
    const isCommitted = found === committed
    if (isCommitted) await pair.native.ask({ connection: only, method: "exec", sql: "COMMIT" })
    await pair.native.kill()
    const other = new Obedient("native", files.native, [])
    await other.ask({ connection: 0, method: "open", sql: "" })
    const expected = (await other.ask(fingerprint)).outcome
    await other.kill()
    story.push(`found ${found}, which is the state ${isCommitted ? "after" : "before"} the commit`)
    if (found !== expected) differ(`native: ${expected}`)
    return replace(index)
  }

  const steps = 30 + next(60)
  try {
    for (const index of pairs.keys()) for (const connection of [0, 1] as const) await open(index, connection)
    for (let step = 0; step < steps; step++) {
      const index = next(pairs.length)
      if (next(25) === 0) {
        await kill(index)
        continue
      }
      const connection = next(4) === 0 ? 1 : 0
      const [method, sql] = pick(statements)
      const pair = pairs[index]
      if (pair === undefined) continue
      if (!pair.ours.isOpen[connection]) await open(index, connection)
      else await both(index, { connection, method, sql })
    }
  } finally {
    await Promise.all(pairs.flatMap((pair) => [pair.ours.kill(), pair.native.kill()]))
  }
  const contents = Object.values(files).map((path) => {
    const database = new DatabaseSync(path)
    const rows = [
      "PRAGMA integrity_check",
      "SELECT id, n, length(filling) FROM t ORDER BY id",
      "SELECT * FROM c",
      "SELECT name FROM sqlite_schema",
    ]
      .map((sql) => JSON.stringify(database.prepare(sql).all()))
      .join("\n")
    database.close()
    return rows
  })
  if (contents[0] !== contents[1]) differ(`ours ends with\n${contents[0]}\nnative with\n${contents[1]}`)
  rmSync(folder, { recursive: true })
  return steps
}

const [first = "1", amount = "20"] = process.argv.slice(2)
const end = amount.endsWith("s") ? Date.now() + Number(amount.slice(0, -1)) * 1000 : Number.POSITIVE_INFINITY
const last = amount.endsWith("s") ? Number.POSITIVE_INFINITY : Number(first) + Number(amount)
let steps = 0
let seed = Number(first)
try {
  for (; seed < last && Date.now() < end; seed++) steps += await run(seed)
  process.stdout.write(`${seed - Number(first)} histories, ${steps} steps, no difference\n`)
} catch (thrown) {
  if (!(thrown instanceof Difference)) throw thrown
  process.stdout.write(`${thrown.message}\n`)
  process.exitCode = 1
}
