/** Port: whether the store would answer now. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "./errors.js"

/** Tells whether the store would answer now; what a load balancer asks before it sends requests. */
export class Readiness extends Context.Tag("@petstore/core/Readiness")<
  Readiness,
  {
    /** Asks the store the cheapest question it cannot answer while it is away. */
    readonly check: Effect.Effect<void, StorageUnavailable>
  }
>() {}
