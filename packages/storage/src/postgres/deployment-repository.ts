/** The mark of a PostgreSQL store, beside the version of its schema: both say what may open it. */
import { type Deployment, DeploymentRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import type { Statements } from "./engine/database.js"

/** Safe: the statements list one column, in which only this adapter writes. */
const deploymentOf = (row: ReadonlyArray<unknown> | undefined): Deployment | null => (row?.[0] ?? null) as Deployment | null

export const postgresDeploymentRepository = ({ read, write }: Statements) =>
  DeploymentRepository.of({
    find: Effect.map(read("SELECT deployment FROM petstore_schema WHERE only_row = 1"), ([row]) =>
      Option.fromNullable(deploymentOf(row)),
    ),
    claim: (deployment) =>
      Effect.map(
        write("UPDATE petstore_schema SET deployment = coalesce(deployment, $1) WHERE only_row = 1 RETURNING deployment", [
          deployment,
        ]),
        ([row]) => deploymentOf(row) ?? deployment,
      ),
  })
