import type { Client } from "@petstore/client"
import type { Catalogue } from "@petstore/core/promise"

/** The variables for the examples in docstrings. */
export interface Given {
  readonly petstore: Client
  readonly baseUrl: string
  readonly apiKey: string
  /** An error from a call to `petstore`. */
  readonly error: unknown
  readonly catalogue: Catalogue
  readonly load: () => Promise<string | undefined>
  /** Ends the example, because some examples have no end. */
  readonly save: (cursor: string | undefined) => Promise<void>
  /** Compares a value with the value that its example shows. */
  readonly shows: (value: unknown, expected: unknown) => void
}
