/** Port: stores the deployment that a store belongs to. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { StorageUnavailable } from "../errors.js"
import type { Deployment } from "./deployment.js"

/** Keeps a store's mark, which is its deployment. `@petstore/core/testing` has its contract suite. */
export class DeploymentRepository extends Context.Tag("@petstore/core/DeploymentRepository")<
  DeploymentRepository,
  {
    /** Finds the store's mark, if it has one. */
    readonly find: Effect.Effect<Option.Option<Deployment>, StorageUnavailable>

    /** Marks a store that has no mark. Returns the mark that the store then has. If calls are concurrent, one of them wins. */
    readonly claim: (deployment: Deployment) => Effect.Effect<Deployment, StorageUnavailable>
  }
>() {}
