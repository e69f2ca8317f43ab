/** PostgreSQL stores the deployment with the schema version, because both determine which programs may open the store. */
import { DeploymentRepository } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { deploymentOfRow } from "../rows.js"
import type { Tables } from "./tables.js"

const find = {
  sqlite: "SELECT name FROM deployment WHERE only_row = 1",
  postgres: "SELECT deployment FROM petstore_schema WHERE only_row = 1",
}

const claim = {
  sqlite: "INSERT INTO deployment (only_row, name) VALUES (1, ?) ON CONFLICT (only_row) DO UPDATE SET name = name RETURNING name",
  postgres: "UPDATE petstore_schema SET deployment = coalesce(deployment, ?) WHERE only_row = 1 RETURNING deployment",
}

export const deploymentRepository = ({ dialect, read, write }: Tables) =>
  DeploymentRepository.of({
    find: Effect.map(read(find[dialect]), ([row]) => deploymentOfRow(row)),
    claim: (deployment) =>
      Effect.map(write(claim[dialect], [deployment]), ([row]) => Option.getOrElse(deploymentOfRow(row), () => deployment)),
  })
