/** Runs writes in SQLite, on the main thread or the writer thread. Each of a transaction's many writes can fail on its own. */
import type { DatabaseSync } from "node:sqlite"
import { rollBack, statementsOn } from "./connection.js"
import { type Fault, faultOf } from "./errors.js"
import type { Name } from "./one-name.js"

interface Write {
  (...args: ReadonlyArray<never>): unknown
  /** Carries out two or more successive calls with few statements, and returns their results. An error undoes the transaction. */
  readonly atOnce?: (calls: never) => ReadonlyArray<unknown>
}

/** A store's writes by name. Their arguments and results are plain values, because a write may run on another thread. */
export type WriteTable = Readonly<Record<string, Write>> & {
  /** Runs at the beginning of each transaction. */
  readonly afterBegin?: () => void
  /** Runs at the end of each transaction. */
  readonly beforeCommit?: () => void
}

export interface WriteCall {
  readonly name: string
  readonly args: ReadonlyArray<unknown>
  /** Whether the write's only purpose is to show that writes succeed. */
  readonly isProof?: true
}

export type Outcome = { readonly value: unknown } | { readonly fault: Fault }

/** A transaction with many rows: how long it took, and whether another program wrote since the last one. */
interface Large {
  readonly millis: number
  readonly othersWrote: boolean
}

/** The outcomes of the writes, or a fault. The disk's time, in ms, is unknown for many rows, which take long on any disk. */
export type Commit =
  | { readonly outcomes: ReadonlyArray<Outcome>; readonly diskMillis: number | undefined; readonly large?: Large }
  | { readonly fault: Fault }

/** Whether a write has many rows. */
export const isLarge = ({ args }: WriteCall): boolean => args.some(Array.isArray)

/** The calls in the same order. Successive calls of one write are together. */
const togetherByName = (batch: ReadonlyArray<WriteCall>): ReadonlyArray<ReadonlyArray<WriteCall>> => {
  const groups: Array<Array<WriteCall>> = []
  for (const call of batch) {
    const latest = groups.at(-1)
    if (latest?.[0]?.name === call.name) latest.push(call)
    else groups.push([call])
  }
  return groups
}

/** Writes a batch in a transaction, which is then on disk in a file that has its name. */
export const transactionOn = (connection: DatabaseSync, writes: WriteTable, name: Name) => {
  // Reads exact integers, because `run` also returns the last identifier, which may be above 2^53.
  const { prepare, allOrNothing } = statementsOn(connection)
  const begin = prepare("BEGIN IMMEDIATE")
  const commit = prepare("COMMIT")
  const dataVersion = prepare("PRAGMA data_version")
  let seenVersion: unknown

  /** A transaction's view of `data_version` changes only with commits by other connections. */
  const othersWrote = (): boolean => {
    const [version] = Object.values(dataVersion.get() ?? {})
    const isOther = seenVersion !== undefined && version !== seenVersion
    seenVersion = version
    return isOther
  }

  const start = (): void => {
    begin.run()
    writes.afterBegin?.()
  }

  const resultOf = ({ name, args }: WriteCall): unknown =>
    // Safe: only `writesThrough` creates calls, and it passes the arguments that the write of that name takes.
    (writes[name] as (...all: ReadonlyArray<unknown>) => unknown)(...args)

  const resultsOf = (calls: ReadonlyArray<WriteCall>): ReadonlyArray<unknown> => {
    const atOnce = calls.length > 1 ? writes[calls[0]?.name ?? ""]?.atOnce : undefined
    // Safe, as in `resultOf`.
    return atOnce === undefined ? calls.map(resultOf) : atOnce(calls.map(({ args }) => args) as never)
  }

  /** An error undoes only its own write, unless SQLite has rolled back the transaction. */
  const outcomeOf = (call: WriteCall): Outcome => {
    try {
      return { value: allOrNothing(() => resultOf(call)) }
    } catch (thrown) {
      if (!connection.isTransaction) throw thrown
      return { fault: faultOf(thrown) }
    }
  }

  /** Carries out a transaction's calls. If one fails, the transaction begins again, and each can fail on its own. */
  const carryOut = (batch: ReadonlyArray<WriteCall>): ReadonlyArray<Outcome> => {
    try {
      return togetherByName(batch)
        .flatMap(resultsOf)
        .map((value) => ({ value }))
    } catch {
      rollBack(connection)
      start()
      return batch.map(outcomeOf)
    }
  }

  return (batch: ReadonlyArray<WriteCall>): Commit => {
    try {
      // A commit can write the log into the file, which must not have another content.
      const former = name.look()
      if (former !== undefined) return { fault: former }
      // A transaction that an earlier failure left open must not be committed together with this batch.
      rollBack(connection)
      start()
      const hasMany = batch.some(isLarge)
      const beganAt = hasMany ? performance.now() : 0
      const others = hasMany && othersWrote()
      const outcomes = carryOut(batch)
      writes.beforeCommit?.()
      const endsAt = performance.now()
      commit.run()
      const now = performance.now()
      const lost = name.look()
      if (lost !== undefined) return { fault: lost }
      return hasMany
        ? { outcomes, diskMillis: undefined, large: { millis: now - beganAt, othersWrote: others } }
        : { outcomes, diskMillis: now - endsAt }
    } catch (thrown) {
      // A full or failing disk fails the entire transaction.
      rollBack(connection)
      // A different file under the store's name causes the same errors as a failing disk.
      return { fault: name.look() ?? faultOf(thrown) }
    }
  }
}
