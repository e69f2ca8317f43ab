import * as Data from "effect/Data"

/** A store could not be opened. `reason` is a sentence for the operator; `cause` is for the log. */
export class StorageNotOpened extends Data.TaggedError("StorageNotOpened")<{
  readonly reason: string
  readonly cause?: unknown
  /** Set if bringing the schema up to date would help. */
  readonly schemaIsOlder?: true
  /** Set if the store does not exist. */
  readonly isMissing?: true
}> {
  override get message(): string {
    return this.reason
  }
}
