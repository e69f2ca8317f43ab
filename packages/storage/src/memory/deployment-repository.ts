import { type Deployment, DeploymentRepository } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export const memoryDeploymentRepository = () => {
  let kept: Deployment | undefined
  return DeploymentRepository.of({
    find: Effect.sync(() => Option.fromNullable(kept)),
    claim: (deployment) =>
      Effect.sync(() => {
        kept ??= deployment
        return kept
      }),
  })
}
