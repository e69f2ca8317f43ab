/** Port: the deployment of a store. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { StorageUnavailable } from "../errors.js"
import type { Deployment } from "./deployment.js"

/** Keeps the mark of a store: its deployment. Its promises are a contract suite in `@petstore/core/testing`. */
export class DeploymentRepository extends Context.Tag("@petstore/core/DeploymentRepository")<
  DeploymentRepository,
  {
    /** The mark of the store, if it has one. */
    readonly find: Effect.Effect<Option.Option<Deployment>, StorageUnavailable>

    /** Marks a store that has no mark. Returns the mark that it then has: of concurrent calls one wins. */
    readonly claim: (deployment: Deployment) => Effect.Effect<Deployment, StorageUnavailable>
  }
>() {}
