/** Real SQLite files for tests. Each file is in its own folder, which is removed after the test. */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import { Effect, Layer, type Scope } from "effect"
import { it } from "vitest"
import type { DatabaseSyncClass } from "../src/sqlite/engine/one-name.js"
import { storage } from "../src/storage.js"

/** The path of a file that does not exist yet. */
export const newFile: Effect.Effect<string, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "petstore-storage-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
  ),
  (folder) => join(folder, "petstore.db"),
)

/** Runs a test with the path of a new file. */
export const onNewFile = <A>(test: (path: string) => Effect.Effect<A, unknown, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(newFile, test)))

export const withFile = (name: string, test: (path: string) => Effect.Effect<void, unknown, Scope.Scope>) =>
  it(name, () => onNewFile(test))

/** The store in a file, with an up-to-date schema. */
export const storeIn = (path: string) => storage({ adapter: "sqlite", path }, { migrate: true })

/** A store in a new file. */
export const storeInNewFile = Layer.unwrapScoped(Effect.map(newFile, storeIn))

/** A second connection to a file, like another process's connection. */
export const otherConnection = (
  path: string,
  Sqlite: DatabaseSyncClass = DatabaseSync,
): Effect.Effect<DatabaseSync, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new Sqlite(path, { timeout: 1_000 })),
    (connection) => Effect.sync(() => connection.close()),
  )

/** Changes a file manually, as an operator could. */
export const change = (path: string, sql: string): void => {
  const connection = new DatabaseSync(path, { timeout: 1_000 })
  connection.exec(sql)
  connection.close()
}

export const byHand = (path: string, sql: string) => Effect.sync(() => change(path, sql))

export const failsWith = (errcode: number, message: string) =>
  Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode })

/** An engine whose commits fail on demand, as on a disk that was remounted read-only while the service uses it. */
export const failing = (fault: () => Error | undefined) =>
  class extends DatabaseSync {
    override prepare(sql: string) {
      const statement = super.prepare(sql)
      if (sql !== "COMMIT") return statement
      const run = statement.run.bind(statement)
      statement.run = () => {
        const thrown = fault()
        if (thrown !== undefined) throw thrown
        return run()
      }
      return statement
    }
  }

/** An engine that records its connections and statements, for tests that need the store's own connection. */
export const observedSqlite = (Engine: DatabaseSyncClass = DatabaseSync) => {
  const opened: Array<DatabaseSync> = []
  const prepared = new Set<string>()
  class Observed extends Engine {
    constructor(path: string, options: { readonly timeout: number }) {
      super(path, options)
      opened.push(this)
    }
    override prepare(sql: string) {
      prepared.add(sql)
      return super.prepare(sql)
    }
  }
  return { Sqlite: Observed, opened, prepared }
}

/** The value of a pragma that returns a single value. */
export const pragma = (connection: DatabaseSync | undefined, name: string) =>
  Object.values(connection?.prepare(`PRAGMA ${name}`).get() ?? {})[0]

/**
 * The number of transactions in a file's write-ahead log, which is the number of frames that end a transaction
 * (https://sqlite.org/fileformat2.html#the_write_ahead_log). The number is correct until the log restarts, at about 2000 pages.
 */
export const transactionsInLog = (path: string): number => {
  const log = readFileSync(`${path}-wal`)
  const pageSize = log.readUInt32BE(8)
  const salt = log.subarray(16, 24)
  let transactions = 0
  for (let frame = 32; frame < log.length; frame += 24 + pageSize) {
    const pagesAfterCommit = log.readUInt32BE(frame + 4)
    if (pagesAfterCommit > 0 && log.subarray(frame + 8, frame + 16).equals(salt)) transactions += 1
  }
  return transactions
}

/** Runs a program on the built package, which writer threads need. Rejects unless the program exits with code 0. */
export const runBuilt = async (program: string, path: string, flags: ReadonlyArray<string> = []): Promise<string> => {
  const args = [...flags, "--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", program, path]
  return (await promisify(execFile)(process.execPath, args, { cwd: join(import.meta.dirname, "..") })).stdout
}

/** Runs a program on the built package, with the path of a new file. */
export const runOnFile = (program: string, flags?: ReadonlyArray<string>): Promise<string> =>
  onNewFile((path) => Effect.promise(() => runBuilt(program, path, flags)))
