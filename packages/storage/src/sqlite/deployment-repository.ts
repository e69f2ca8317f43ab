/** The mark of a SQLite store: one row. */
import type { DatabaseSync } from "node:sqlite"
import { type Deployment, DeploymentRepository } from "@petstore/core"
import { Option } from "effect"
import type { Database } from "./engine/database.js"
import { prepareExact } from "./engine/prepare-exact.js"

const selectDeployment = "SELECT name FROM deployment WHERE only_row = 1"

/** Safe: the statement lists one column, in which only this adapter writes. */
const deploymentOf = (row: unknown): Deployment | undefined => (row as readonly [Deployment] | undefined)?.[0]

/** The writes of the mark. */
export const deploymentWrites = (connection: DatabaseSync) => {
  const insert = prepareExact(connection, "INSERT INTO deployment (only_row, name) VALUES (1, ?) ON CONFLICT DO NOTHING")
  const select = prepareExact(connection, selectDeployment)

  return {
    /** The mark that the store has then. */
    claimDeployment: (deployment: Deployment): Deployment => {
      insert.run(deployment)
      return deploymentOf(select.get()) ?? deployment
    },
  }
}

export const sqliteDeploymentRepository = ({ prepare, run, writes }: Database<ReturnType<typeof deploymentWrites>>) => {
  const select = prepare(selectDeployment)
  return DeploymentRepository.of({
    find: run(() => Option.fromNullable(deploymentOf(select.get()))),
    claim: (deployment) => writes.claimDeployment(deployment),
  })
}
