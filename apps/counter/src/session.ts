/** A signed-in user's session. The page keeps the API key in memory, and in the browser's storage only on request. */
import { type Client, createClient } from "@petstore/client"
import { storedText } from "@petstore/docs/stored-text"

export const storedKey = storedText("localStorage", "counter-key")

/** A user is waiting, so the timeouts are a few seconds. The client's default, half a minute, suits programs. */
export const connect = (apiKey: string): Client =>
  createClient({ baseUrl: `${location.origin}/v1`, apiKey, attemptTimeout: 5_000, timeout: 10_000, maxRetries: 2 })

export interface Session {
  readonly petstore: Client
  /** Aborted when the user signs out. */
  readonly signal: AbortSignal
  /** Called with every failure. Leaves the page if the key is refused, and hides actions if the key is read-only. */
  readonly onFailure: (thrown: unknown) => void
}
