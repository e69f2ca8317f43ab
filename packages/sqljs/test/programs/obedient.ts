/**
 * Reads commands from standard input, one per line, and runs them on a database file. For each command, prints a line with the
 * result, and whether each of the two connections is in a transaction.
 *
 * Arguments: "native" or "ours", and the file.
 */
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import * as native from "node:sqlite"
import { inspect } from "node:util"
import * as ours from "../../dist/index.js"

const [engine = "", path = ""] = process.argv.slice(2)
const DatabaseSync = engine === "native" ? native.DatabaseSync : ours.DatabaseSync
type Database = InstanceType<typeof DatabaseSync>

export interface Command {
  readonly connection: 0 | 1
  readonly method: "open" | "close" | "exec" | "all" | "get" | "run" | "start" | "next" | "end"
  readonly sql: string
}

/** A command's result. An `errcode` of 0 means success. */
export interface Reply {
  readonly outcome: string
  readonly errcode: number
  readonly transactions: readonly boolean[]
}

const databases: (Database | undefined)[] = [undefined, undefined]
const iterators: (Iterator<unknown> | undefined)[] = [undefined, undefined]

const obey = ({ connection, method, sql }: Command): unknown => {
  if (method === "open") {
    databases[connection] = new DatabaseSync(path)
    return "opened"
  }
  const database = databases[connection]
  if (database === undefined) return "closed"
  if (method === "close") {
    database.close()
    databases[connection] = undefined
    iterators[connection] = undefined
    return "closed"
  }
  if (method === "exec") return database.exec(sql)
  if (method === "start") {
    iterators[connection]?.return?.()
    iterators[connection] = database.prepare(sql).iterate()
  }
  if (method === "start" || method === "next") return iterators[connection]?.next()
  if (method === "end") {
    const ended = iterators[connection]?.return?.()
    iterators[connection] = undefined
    return ended
  }
  const statement = database.prepare(sql)
  // The native run skips some commands, so its rowids may differ. Only the number of changes is compared.
  return method === "all" ? statement.all() : method === "get" ? statement.get() : statement.run().changes
}

const answer = (command: Command): Omit<Reply, "transactions"> => {
  try {
    return {
      outcome: inspect(obey(command), { depth: 4, maxStringLength: 20, breakLength: Number.POSITIVE_INFINITY }),
      errcode: 0,
    }
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    const errcode = "errcode" in thrown && typeof thrown.errcode === "number" ? thrown.errcode : -1
    return { outcome: `${errcode} ${thrown.message}`, errcode }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const reply = { ...answer(JSON.parse(line)), transactions: databases.map((database) => database?.isTransaction ?? false) }
  writeSync(1, `${JSON.stringify(reply)}\n`)
}
