/** Port: counts calls of deprecated operations. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../errors.js"
import type { ApiKeyId } from "./credential.js"

/** How often one API key called one deprecated operation, and when last. */
export interface DeprecatedCalls {
  readonly keyId: ApiKeyId
  /** Name of the operation: `getPet`. */
  readonly operation: string
  readonly calls: number
  readonly lastCalledAt: Date
}

/** Adds up calls of deprecated operations. Its promises are a contract suite in `@petstore/core/testing`. */
export class DeprecatedCallRepository extends Context.Tag("@petstore/core/DeprecatedCallRepository")<
  DeprecatedCallRepository,
  {
    /** Adds calls to the kept count of their key and operation; the later timestamp stays. */
    readonly record: (calls: ReadonlyArray<DeprecatedCalls>) => Effect.Effect<void, StorageUnavailable>

    /** The count of every key and operation, most recently called first. */
    readonly list: Effect.Effect<ReadonlyArray<DeprecatedCalls>, StorageUnavailable>
  }
>() {}
