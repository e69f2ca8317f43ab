import { failure } from "@petstore/core/internal"

/** Why a store or a backup with a newer schema is refused. */
export const newerSchema = (what: string, version: number, latest: number): string =>
  `${what} has schema version ${version}, which is newer than the latest one that this program supports (${latest}). Use a newer release.`

/** A store could not be opened. `reason` is a sentence for the operator; `cause` is for the log. */
export class StorageNotOpened extends failure("StorageNotOpened")<{
  readonly reason: string
  readonly cause?: unknown
  /** Set if bringing the schema up to date would help. */
  readonly schemaIsOlder?: true
  /** Set if the database server is unavailable, so that a later attempt may succeed without a change. */
  readonly isUnreachable?: true
  /** Set if the store does not exist. */
  readonly isMissing?: true
}> {
  override get message(): string {
    return this.reason
  }
}
