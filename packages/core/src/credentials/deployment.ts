/** The deployments of the service. Each refuses the others' keys. */

/** The three deployments. `development` is the one on a developer's own machine. */
export const deployments = ["development", "staging", "production"] as const

/** One of the three deployments. */
export type Deployment = (typeof deployments)[number]
