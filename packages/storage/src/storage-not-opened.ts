import * as Data from "effect/Data"

/** A store could not be opened: there is no program to run without it. `reason` is a sentence for the operator, `cause` is for the log. */
export class StorageNotOpened extends Data.TaggedError("StorageNotOpened")<{
  readonly reason: string
  readonly cause?: unknown
  /** Whether bringing the schema up to date is all it takes. */
  readonly schemaIsOlder?: true
  /** Whether there is no store at all. */
  readonly isMissing?: true
}> {
  override get message(): string {
    return this.reason
  }
}
