import { Data } from "effect"

/** A store could not be backed up or restored. Nothing was changed. `reason` is a sentence for the operator, `cause` is for the log. */
export class BackupFailed extends Data.TaggedError("BackupFailed")<{
  readonly reason: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.reason
  }
}
