/** The deprecation of an operation, as the headers of its answers say it. */
import { basePath, operations } from "./operations.js"

/**
 * The deprecation of getPet (specification, section 4.3), in one place. Nothing
 * switches itself off by the clock: removal is a release.
 */
export const getPetDeprecation = {
  /** Since when, as RFC 9745 §2.1 writes it: 5 December 2025, 00:00:00 UTC. */
  deprecation: "@1764892800",
  /** When it is to be removed, as RFC 8594 §3 writes it. */
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  /** What replaces it: the list of pets with its status filter. */
  successor: `${basePath}${operations.listPets.path}`,
} as const
