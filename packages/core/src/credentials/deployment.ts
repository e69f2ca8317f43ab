/** The deployments of the service. Each refuses API keys for the other deployments. */

/** The three deployments. `development` runs on a developer's own machine. */
export const deployments = ["development", "staging", "production"] as const

/** One of the three deployments. */
export type Deployment = (typeof deployments)[number]
