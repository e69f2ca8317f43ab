import type { Client } from "@petstore/client"

/** The variables for the examples in docstrings. */
export interface Given {
  readonly petstore: Client
  readonly baseUrl: string
  readonly apiKey: string
  /** An error from a call to `petstore`. */
  readonly error: unknown
  /** Compares a value with the value that its example shows. */
  readonly shows: (value: unknown, expected: unknown) => void
}
