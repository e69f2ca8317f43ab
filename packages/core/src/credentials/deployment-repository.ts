import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { StorageUnavailable } from "../errors.js"
import type { Deployment } from "./deployment.js"

/** Stores the mark that says which deployment a store belongs to. `@petstore/core/testing` has its contract suite. */
export class DeploymentRepository extends Context.Tag("@petstore/core/DeploymentRepository")<
  DeploymentRepository,
  {
    /** Finds the store's mark, if it has one. */
    readonly find: Effect.Effect<Option.Option<Deployment>, StorageUnavailable>

    /** Marks a store that has no mark. Returns the store's mark after the call. Concurrent calls return the same mark. */
    readonly claim: (deployment: Deployment) => Effect.Effect<Deployment, StorageUnavailable>
  }
>() {}
