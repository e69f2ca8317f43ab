/** The iterator of `StatementSync.prototype.iterate`, which reads rows on demand. */

import { countCalls } from "./calls.js"
import { invalidState } from "./errors.js"
import { construction } from "./public-class.js"
import type { SQLOutputValue } from "./values.js"

type Row = Record<string, SQLOutputValue>

/** One run of a statement. `step` returns the next row, or `undefined` after the last one. */
interface RowSource {
  step(): Row | undefined
  reset(): void
  /** Changes whenever the statement starts again, which invalidates earlier iterators. */
  readonly generation: () => number
  /** Throws if the statement is finalised or already running. */
  requireIdle(): void
}

const result = (done: boolean, value: Row | null): IteratorResult<Row, undefined> =>
  // Node's iterator results have no prototype, and have null where the type declares undefined.
  Object.assign(Object.create(null), { done, value })

const { build, parts } = construction<RowSource>()

class StatementSyncIterator extends Iterator<Row, undefined> {
  readonly #source: RowSource
  readonly #generation: number
  #done = false

  constructor() {
    super()
    this.#source = parts()
    this.#generation = this.#source.generation()
  }

  next(): IteratorResult<Row, undefined> {
    this.#source.requireIdle()
    if (this.#done) return result(true, null)
    if (this.#generation !== this.#source.generation()) throw invalidState("iterator was invalidated")
    const row = this.#source.step()
    if (row !== undefined) return result(false, row)
    this.#done = true
    this.#source.reset()
    return result(true, null)
  }

  override return(): IteratorResult<Row, undefined> {
    this.#source.requireIdle()
    this.#source.reset()
    this.#done = true
    return result(true, null)
  }
}

countCalls(StatementSyncIterator.prototype)

export const iteratorOver = (source: RowSource): StatementSyncIterator => build(source, () => new StatementSyncIterator())
