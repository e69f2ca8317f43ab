import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../errors.js"
import type { ApiKeyId } from "./account.js"

/** How many times an API key has called a deprecated operation, and the time of the last call. */
export interface DeprecatedCalls {
  readonly keyId: ApiKeyId
  /** The operation's name, such as `getPet`. */
  readonly operation: string
  readonly calls: number
  readonly lastCalledAt: Date
}

/** Counts calls to deprecated operations. `@petstore/core/testing` has its contract suite. */
export class DeprecatedCallRepository extends Context.Tag("@petstore/core/DeprecatedCallRepository")<
  DeprecatedCallRepository,
  {
    /** Adds calls to the stored count for their key and operation, and keeps the later timestamp. */
    readonly record: (calls: ReadonlyArray<DeprecatedCalls>) => Effect.Effect<void, StorageUnavailable>

    /** Lists the counts for all keys and operations, most recently called first. */
    readonly list: Effect.Effect<ReadonlyArray<DeprecatedCalls>, StorageUnavailable>
  }
>() {}
