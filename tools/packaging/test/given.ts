/** The variables of the examples of docstrings. */
import type { Client } from "@petstore/client"

export interface Given {
  readonly petstore: Client
  readonly baseUrl: string
  readonly apiKey: string
  /** An error of a call of `petstore`. */
  readonly error: unknown
  /** Compares a value with what its example says. */
  readonly shows: (value: unknown, expected: unknown) => void
}
