/** The deprecation of an operation, for the headers of its responses. */
import { type Description, descriptionOf, type OperationName, operations } from "./operations.js"
import { basePath } from "./resources.js"

/** The deprecation of an operation. */
export interface Deprecation {
  /** Since when, as RFC 9745 §2.1 writes it. */
  readonly deprecation: string
  /** When it will be removed, as RFC 8594 §3 writes it. */
  readonly sunset: string
  /** The path of its replacement. */
  readonly successor: string
}

/** The deprecation of a description. */
export const deprecationOf = ({ deprecation }: Description): Deprecation | undefined => {
  if (deprecation === undefined) return undefined
  const { replacedBy, ...dates } = deprecation
  // Safe: a description cannot be typed by the names of all, and the name of none has no description, which a test would see.
  return { ...dates, successor: `${basePath}${descriptionOf(replacedBy as OperationName).path}` }
}

const { deprecation, sunset, replacedBy } = operations.getPet.deprecation

/** The deprecation of getPet (specification, section 4.3). */
export const getPetDeprecation = { deprecation, sunset, successor: `${basePath}${operations[replacedBy].path}` } as const
