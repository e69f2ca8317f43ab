import * as Option from "effect/Option"
import { deployments } from "../credentials/deployment.js"
import { DeploymentRepository } from "../credentials/deployment-repository.js"
import { atOnce, contractSuite } from "./promise.js"
import { expect } from "./runner.js"

/** Declares the contract suite for `DeploymentRepository`. `empty` opens a store that no deployment has claimed. */
export const deploymentRepositoryContract = contractSuite(DeploymentRepository, (promise) => {
  promise("finds no deployment in a new store", function* () {
    expect(yield* (yield* DeploymentRepository).find).toStrictEqual(Option.none())
  })

  for (const deployment of deployments) {
    promise(`keeps the deployment ${deployment} after later claims by any deployment`, function* ({ find, claim }) {
      expect(yield* claim(deployment)).toBe(deployment)
      for (const other of deployments) expect(yield* claim(other)).toBe(deployment)
      expect(yield* find).toStrictEqual(Option.some(deployment))
    })
  }

  promise("returns the same deployment to all concurrent claims", function* ({ find, claim }) {
    const claimed = yield* atOnce([...deployments, ...deployments], claim)
    const [first] = claimed
    expect(new Set(claimed)).toStrictEqual(new Set([first]))
    expect(yield* find).toStrictEqual(Option.fromNullable(first))
  })
})
