/** The mark of a PostgreSQL store, beside the version of its schema: both say what may open it. */
import { DeploymentRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import { deploymentOfRow } from "../rows.js"
import type { Statements } from "./engine/database.js"

export const postgresDeploymentRepository = ({ read, write }: Statements) =>
  DeploymentRepository.of({
    find: Effect.map(read("SELECT deployment FROM petstore_schema WHERE only_row = 1"), ([row]) => deploymentOfRow(row)),
    claim: (deployment) =>
      Effect.map(
        write("UPDATE petstore_schema SET deployment = coalesce(deployment, $1) WHERE only_row = 1 RETURNING deployment", [
          deployment,
        ]),
        ([row]) => Option.getOrElse(deploymentOfRow(row), () => deployment),
      ),
  })
