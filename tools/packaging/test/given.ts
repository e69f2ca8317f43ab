/** What the examples of docstrings are given. */
import type { Client } from "@petstore/client"

export interface Given {
  readonly petstore: Client
  readonly baseUrl: string
  readonly apiKey: string
  /** What a call of `petstore` threw. */
  readonly error: unknown
  /** Compares a value with what its example says. */
  readonly shows: (value: unknown, expected: unknown) => void
}
