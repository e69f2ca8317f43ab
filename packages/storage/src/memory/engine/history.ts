import type { Actor, ChangeOperation, Touched } from "@petstore/core"

/** A change in memory. Its number is its index plus the number of removed changes. */
export interface RecordedChange {
  readonly at: Date
  readonly operation: ChangeOperation
  readonly by: Actor | undefined
  readonly before: Touched | undefined
  readonly after: Touched | undefined
}

export class History {
  /** Tells this store's places and changes from those of any other, because a store in memory does not outlive its process. */
  readonly name = Math.random().toString(36).slice(2)
  readonly changes: Array<RecordedChange> = []
  removed = 0

  get end(): number {
    return this.removed + this.changes.length
  }

  add(operation: ChangeOperation, by: Actor | undefined, before: Touched | undefined, after: Touched | undefined): void {
    this.changes.push({ at: new Date(), operation, by, before, after })
  }
}
