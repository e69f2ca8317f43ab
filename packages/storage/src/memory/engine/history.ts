import type { Actor, ChangeOperation, Touched } from "@petstore/core"
import type { RecordedChange } from "../../change-rows.js"

/** Its number is its index plus the number of removed changes. */
export interface ChangeInMemory extends RecordedChange {
  readonly at: Date
}

export class History {
  /** Tells this store's places and changes from those of any other, because a store in memory does not outlive its process. */
  readonly name = Math.random().toString(36).slice(2)
  readonly changes: Array<ChangeInMemory> = []
  removed = 0

  get end(): number {
    return this.removed + this.changes.length
  }

  add(operation: ChangeOperation, by: Actor | undefined, before: Touched | undefined, after: Touched | undefined): void {
    this.changes.push({ at: new Date(), operation, by, before, after })
  }
}
