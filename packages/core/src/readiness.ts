import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "./errors.js"

/** Reports to load balancers whether the store is available. */
export class Readiness extends Context.Tag("@petstore/core/Readiness")<
  Readiness,
  {
    /** The cheapest check that fails while the store is unavailable. */
    readonly check: Effect.Effect<void, StorageUnavailable>
  }
>() {}
