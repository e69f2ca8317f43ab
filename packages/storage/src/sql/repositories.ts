/** The repositories that SQLite and PostgreSQL share, by their names in the store. */
import { credentialRepository } from "./credential-repository.js"
import { deploymentRepository } from "./deployment-repository.js"
import { deprecatedCallRepository } from "./deprecated-call-repository.js"
import type { Tables } from "./tables.js"
import { webhookRepository } from "./webhook-repository.js"

export const sqlRepositories = (tables: Tables) => ({
  credentials: credentialRepository(tables),
  deployment: deploymentRepository(tables),
  deprecatedCalls: deprecatedCallRepository(tables),
  webhooks: webhookRepository(tables),
})
