/** Whether a program may use a store: both belong to one deployment. */
import { Effect, Option } from "effect"
import { type StorageUnavailable, StoreOfAnotherDeployment } from "../errors.js"
import { CredentialRepository } from "./credential-repository.js"
import type { Deployment } from "./deployment.js"
import { DeploymentRepository } from "./deployment-repository.js"

/** The deployment of a store: its mark, or that of all of its keys where they agree. `None` if neither tells. */
export const findStoreDeployment: Effect.Effect<
  Option.Option<Deployment>,
  StorageUnavailable,
  DeploymentRepository | CredentialRepository
> = Effect.gen(function* () {
  const marked = yield* (yield* DeploymentRepository).find
  if (Option.isSome(marked)) return marked
  const keys = yield* (yield* CredentialRepository).listApiKeys
  const [one, ...others] = new Set(keys.map(({ deployment }) => deployment))
  return others.length === 0 ? Option.fromNullable(one) : Option.none()
})

/**
 * Finds the deployment of a store for a program that belongs to one, or does not say. Fails with
 * `StoreOfAnotherDeployment` if they differ.
 */
export const checkStoreDeployment = (
  ours: Option.Option<Deployment>,
): Effect.Effect<
  Option.Option<Deployment>,
  StoreOfAnotherDeployment | StorageUnavailable,
  DeploymentRepository | CredentialRepository
> =>
  Effect.flatMap(findStoreDeployment, (kept) =>
    Option.isSome(kept) && Option.isSome(ours) && kept.value !== ours.value
      ? new StoreOfAnotherDeployment({ kept: kept.value, ours: ours.value })
      : Effect.succeed(Option.orElse(kept, () => ours)),
  )

/**
 * The same, and marks a store that has no mark yet. One that cannot be written now stays without: it is marked another time.
 */
export const claimStoreDeployment = (
  ours: Option.Option<Deployment>,
): Effect.Effect<
  Option.Option<Deployment>,
  StoreOfAnotherDeployment | StorageUnavailable,
  DeploymentRepository | CredentialRepository
> =>
  Effect.gen(function* () {
    const deployment = yield* checkStoreDeployment(ours)
    if (Option.isNone(deployment)) return deployment
    const { find, claim } = yield* DeploymentRepository
    if (Option.isSome(yield* find)) return deployment
    const kept = yield* Effect.orElseSucceed(claim(deployment.value), () => deployment.value)
    if (kept !== deployment.value) return yield* new StoreOfAnotherDeployment({ kept, ours: deployment.value })
    return deployment
  })
