import { failure } from "@petstore/core/internal"

/** The schema version of a store with one migration step. Stores from before 1.0.0 have lower ones, unfinished copies negative ones. */
export const firstVersion = 100

/** Why a store or a backup is refused for its schema version: it is newer than the program, or from before 1.0.0. */
export const whyRefused = (what: string, version: number, latest: number): string | undefined => {
  if (version < 0) return `${what} is an unfinished copy. Run petstore copy again; it starts from the beginning.`
  if (version < firstVersion) {
    return `${what} is from before 1.0.0, and this release cannot open it. Export the pets with the program that made it (petstore export pets.ndjson), and import them into a new store with this one (petstore import pets.ndjson). The pets get new identifiers if there are gaps between theirs. Orders, accounts and API keys stay behind.`
  }
  return version <= latest
    ? undefined
    : `${what} has schema version ${version}, which is newer than the latest one that this program supports (${latest}). Use a newer release.`
}

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
