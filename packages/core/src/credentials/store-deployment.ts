import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DeploymentMismatch, type StorageUnavailable } from "../errors.js"
import { CredentialRepository } from "./credential-repository.js"
import type { Deployment } from "./deployment.js"
import { DeploymentRepository } from "./deployment-repository.js"

const deploymentOfKeys = Effect.gen(function* () {
  const keys = yield* (yield* CredentialRepository).listApiKeys
  const [one, ...others] = new Set(keys.map(({ deployment }) => deployment))
  return others.length === 0 ? Option.fromNullable(one) : Option.none()
})

/** Finds a store's mark or, if it has no mark, the deployment of all its keys. `None` if the keys differ or there are no keys. */
export const findStoreDeployment = Effect.gen(function* () {
  const mark = yield* (yield* DeploymentRepository).find
  return Option.isSome(mark) ? mark : yield* deploymentOfKeys
})

/** Returns the store's deployment or, if the store has none, the program's. Fails if the two differ. */
const agree = (
  kept: Option.Option<Deployment>,
  ours: Option.Option<Deployment>,
): Effect.Effect<Option.Option<Deployment>, DeploymentMismatch> =>
  Option.isSome(kept) && Option.isSome(ours) && kept.value !== ours.value
    ? new DeploymentMismatch({ kept: kept.value, ours: ours.value })
    : Effect.succeed(Option.orElse(kept, () => ours))

/** Finds a store's deployment. Fails with `DeploymentMismatch` if the program belongs to another deployment. */
export const checkStoreDeployment = (
  ours: Option.Option<Deployment>,
): Effect.Effect<
  Option.Option<Deployment>,
  DeploymentMismatch | StorageUnavailable,
  DeploymentRepository | CredentialRepository
> => Effect.flatMap(findStoreDeployment, (kept) => agree(kept, ours))

/** Does what {@link checkStoreDeployment} does, and marks an unmarked store. A later call marks a store that is read-only now. */
export const claimStoreDeployment = (ours: Option.Option<Deployment>) =>
  Effect.gen(function* () {
    const { find, claim } = yield* DeploymentRepository
    const mark = yield* find
    const deployment = yield* agree(Option.isSome(mark) ? mark : yield* deploymentOfKeys, ours)
    if (Option.isSome(mark) || Option.isNone(deployment)) return deployment
    const claimed = yield* Effect.orElseSucceed(claim(deployment.value), () => deployment.value)
    return yield* agree(Option.some(claimed), deployment)
  })
