/** The deployments of the service. Keys of one are refused by the others. */

/** The three values, `development` being the one on a developer's own machine. */
export const deployments = ["development", "staging", "production"] as const

/** One of the three. */
export type Deployment = (typeof deployments)[number]
