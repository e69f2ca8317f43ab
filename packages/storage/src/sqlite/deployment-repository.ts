/** The mark of a SQLite store: one row. */
import type { DatabaseSync } from "node:sqlite"
import { type Deployment, DeploymentRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import { deploymentOfRow } from "../rows.js"
import type { Database } from "./engine/database.js"
import { prepareExact } from "./engine/prepare-exact.js"

const selectDeployment = "SELECT name FROM deployment WHERE only_row = 1"

/** The writes of the mark. */
export const deploymentWrites = (connection: DatabaseSync) => {
  const insert = prepareExact(connection, "INSERT INTO deployment (only_row, name) VALUES (1, ?) ON CONFLICT DO NOTHING")
  const select = prepareExact(connection, selectDeployment)

  return {
    /** The row of the mark that the store has then. */
    claimDeployment: (deployment: Deployment): unknown => {
      insert.run(deployment)
      return select.get()
    },
  }
}

export const sqliteDeploymentRepository = ({ prepare, run, writes }: Database<ReturnType<typeof deploymentWrites>>) => {
  const select = prepare(selectDeployment)
  return DeploymentRepository.of({
    find: run(() => deploymentOfRow(select.get())),
    claim: (deployment) =>
      Effect.map(writes.claimDeployment(deployment), (row) => Option.getOrElse(deploymentOfRow(row), () => deployment)),
  })
}
