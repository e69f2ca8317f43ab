/** The deployments. Each refuses API keys for the others. `development` runs on a developer's own machine. */
export const deployments = ["development", "staging", "production"] as const

/** One of the three deployments. */
export type Deployment = (typeof deployments)[number]
