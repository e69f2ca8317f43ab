import type { Deployment } from "@petstore/core"
import { failure } from "@petstore/core/internal"

/** A backup or a restore failed. Nothing was changed. `reason` is a sentence for the operator; `cause` is for the log. */
export class BackupFailed extends failure("BackupFailed")<{
  readonly reason: string
  readonly cause?: unknown
  /** Set if there is no store to copy. */
  readonly isMissing?: true
  /** Set if the `replace` option would help. */
  readonly mayReplace?: true
}> {
  override get message(): string {
    return this.reason
  }
}

/** A backup of another deployment was not restored, because `as` is not set. Nothing was changed. */
export class BackupOfAnotherDeployment extends failure("BackupOfAnotherDeployment")<{
  readonly backup: Deployment
  readonly ours: Deployment
}> {
  override get message(): string {
    return `The backup belongs to ${this.backup}, not to ${this.ours}.`
  }
}
