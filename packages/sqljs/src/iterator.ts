/** The iterator that `StatementSync.prototype.iterate` returns. It reads rows on demand. */

import { invalidState } from "./errors.js"
import { publishInternal } from "./public-class.js"
import type { SQLOutputValue } from "./values.js"

type Row = Record<string, SQLOutputValue>

interface Statement {
  /** Changes whenever the statement starts again, which invalidates earlier iterators. */
  readonly generation: number
  reset(): void
  requireIdle(): void
}

const result = (done: boolean, value: Row | null): IteratorResult<Row, undefined> =>
  // Node's iterator results have no prototype, and have null where the type declares undefined.
  Object.assign(Object.create(null), { done, value })

/** One run of a statement. `step` returns the next row, or `undefined` after the last one. */
export class StatementSyncIterator extends Iterator<Row, undefined> {
  readonly #statement: Statement
  readonly #step: () => Row | undefined
  readonly #generation: number
  #done = false

  constructor(statement: Statement, step: () => Row | undefined) {
    super()
    this.#statement = statement
    this.#step = step
    this.#generation = statement.generation
  }

  next(): IteratorResult<Row, undefined> {
    this.#statement.requireIdle()
    if (this.#done) return result(true, null)
    if (this.#generation !== this.#statement.generation) throw invalidState("iterator was invalidated")
    const row = this.#step()
    return row === undefined ? this.#end() : result(false, row)
  }

  override return(): IteratorResult<Row, undefined> {
    this.#statement.requireIdle()
    return this.#end()
  }

  #end(): IteratorResult<Row, undefined> {
    this.#done = true
    this.#statement.reset()
    return result(true, null)
  }
}

publishInternal(StatementSyncIterator, "StatementSyncIterator")
