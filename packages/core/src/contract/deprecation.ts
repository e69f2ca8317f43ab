import { type Description, descriptionOf, type OperationName, operations } from "./operations.js"
import { basePath } from "./resources.js"

/** The deprecation of an operation, for its response headers. */
export interface Deprecation {
  /** When the operation was deprecated, in the format of RFC 9745 §2.1. */
  readonly deprecation: string
  /** When the operation will be removed, in the format of RFC 8594 §3. */
  readonly sunset: string
  readonly successor: string
}

/** Returns the deprecation in an operation's description, if it has one. */
export const deprecationOf = ({ deprecation }: Description): Deprecation | undefined => {
  if (deprecation === undefined) return undefined
  const { replacedBy, ...dates } = deprecation
  // Safe: a description's type cannot refer to all descriptions' names. A test checks that `replacedBy` names an operation.
  return { ...dates, successor: `${basePath}${descriptionOf(replacedBy as OperationName).path}` }
}

const { deprecation, sunset, replacedBy } = operations.getPet.deprecation

/** The deprecation of getPet (specification, section 4.3). */
export const getPetDeprecation = { deprecation, sunset, successor: `${basePath}${operations[replacedBy].path}` } as const
